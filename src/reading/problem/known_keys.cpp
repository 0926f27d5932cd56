#include "reading/problem/known_keys.h"

#include <algorithm>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

// What people and frameworks call a key, without case, "-" and "_".
struct Alias {
  std::string_view name, pointer;
};

constexpr Alias aliases[] = {
    {"x", "/inputs"},
    {"input", "/inputs"},
    {"inputembeddings", "/inputs"},
    {"embeddingsmatrix", "/inputs"},
    {"embeddingmatrix", "/inputs"},
    {"data", "/inputs"},
    {"q", "/queries"},
    {"query", "/queries"},
    {"k", "/keys"},
    {"key", "/keys"},
    {"v", "/values"},
    {"value", "/values"},
    {"wq", "/weights/query"},
    {"wquery", "/weights/query"},
    {"qw", "/weights/query"},
    {"qweight", "/weights/query"},
    {"qweights", "/weights/query"},
    {"qproj", "/weights/query"},
    {"qprojweight", "/weights/query"},
    {"queryweight", "/weights/query"},
    {"queryweights", "/weights/query"},
    {"wk", "/weights/key"},
    {"wkey", "/weights/key"},
    {"kw", "/weights/key"},
    {"kweight", "/weights/key"},
    {"kweights", "/weights/key"},
    {"kproj", "/weights/key"},
    {"kprojweight", "/weights/key"},
    {"keyweight", "/weights/key"},
    {"keyweights", "/weights/key"},
    {"wv", "/weights/value"},
    {"wvalue", "/weights/value"},
    {"vw", "/weights/value"},
    {"vweight", "/weights/value"},
    {"vweights", "/weights/value"},
    {"vproj", "/weights/value"},
    {"vprojweight", "/weights/value"},
    {"valueweight", "/weights/value"},
    {"valueweights", "/weights/value"},
    {"wo", "/weights/output"},
    {"wout", "/weights/output"},
    {"woutput", "/weights/output"},
    {"oproj", "/weights/output"},
    {"outproj", "/weights/output"},
    {"outprojweight", "/weights/output"},
    {"outputweight", "/weights/output"},
    {"outputweights", "/weights/output"},
    {"output", "/weights/output"},
    {"bq", "/biases/query"},
    {"qbias", "/biases/query"},
    {"querybias", "/biases/query"},
    {"bk", "/biases/key"},
    {"kbias", "/biases/key"},
    {"keybias", "/biases/key"},
    {"bv", "/biases/value"},
    {"vbias", "/biases/value"},
    {"valuebias", "/biases/value"},
    {"bo", "/biases/output"},
    {"outbias", "/biases/output"},
    {"outputbias", "/biases/output"},
    {"outprojbias", "/biases/output"},
    {"bias", "/biases"},
    {"h", "/heads"},
    {"nhead", "/heads"},
    {"nheads", "/heads"},
    {"numheads", "/heads"},
    {"numattentionheads", "/heads"},
    {"numberofheads", "/heads"},
    {"numkeyvalueheads", "/kv_heads"},
    {"numkvheads", "/kv_heads"},
    {"kvnumheads", "/kv_heads"},
    {"nkvheads", "/kv_heads"},
    {"kvheads", "/kv_heads"},
    {"querygroups", "/kv_heads"},
    {"kvcache", "/past"},
    {"cache", "/past"},
    {"pastkeyvalues", "/past"},
    {"pastkv", "/past"},
    {"biaskv", "/appended"},
    {"zeroattn", "/appended"},
    {"addzeroattn", "/appended"},
    {"positionalencoding", "/positions"},
    {"positionencoding", "/positions"},
    {"position", "/positions"},
    {"positionids", "/positions"},
    {"scorefunction", "/score"},
    {"scoring", "/score"},
    {"attentiontype", "/score"},
    {"maxlen", "/max_tokens"},
    {"maxlength", "/max_tokens"},
    {"words", "/tokens"},
    {"labels", "/tokens"},
    {"layout", "/weight_layout"},
    {"dtype", "/arithmetic/dtype"},
    {"rounding", "/arithmetic/hand_rounding"},
    {"handrounding", "/arithmetic/hand_rounding"},
    {"precision", "/digits"},
    {"decimals", "/digits"},
    {"name", "/title"},
    {"comment", "/notes"},
    {"description", "/notes"},
};

// The same below `weights`, `biases`, `inputs`, `tokens`, `past` and `appended`.
constexpr Alias role_aliases[] = {
    {"q", "query"},      {"wq", "query"},       {"queries", "query"}, {"k", "key"},     {"wk", "key"},
    {"keys", "key"},     {"v", "value"},        {"wv", "value"},      {"bq", "query"},  {"bk", "key"},
    {"bv", "value"},     {"values", "value"},   {"o", "output"},      {"wo", "output"}, {"bo", "output"},
    {"out", "output"},   {"outproj", "output"}, {"k", "keys"},        {"key", "keys"},  {"v", "values"},
    {"value", "values"},
};

struct Later {
  std::string_view key, help;
};

constexpr Later later_keys[] = {
    {"block", ""},
};

constexpr std::string_view outermost_keys[] = {
    "title",   "notes",   "inputs", "tokens", "embeddings", "max_tokens", "vectors",    "weights",
    "biases",  "queries", "keys",   "values", "heads",      "split",      "score",      "weight_layout",
    "softmax", "digits",  "past",   "block",  "appended",   "positions",  "arithmetic", "kv_heads",
};

std::string plain(std::string_view key) {
  return plain_name(key, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
}

}  // namespace

KnownKeys::KnownKeys(const std::vector<OptionSpec>& options)
    : outermost_(std::begin(outermost_keys), std::end(outermost_keys)) {
  for (const OptionSpec& option : options) {
    outermost_.push_back(option.name);
    for (const std::string& name : option.also_called) options_called_.emplace(name, "/" + option.name);
  }
}

std::vector<std::string> KnownKeys::below(std::string_view parent) const {
  if (parent.empty()) return outermost_;
  if (parent == "/weights" || parent == "/biases") return {"query", "key", "value", "output"};
  if (parent == "/past" || parent == "/appended") return {"keys", "values"};
  if (parent == "/inputs") return {"query", "key", "value"};
  if (parent == "/tokens") return {"query", "key"};
  if (parent == "/arithmetic") return {"dtype", "hand_rounding"};
  return {};
}

std::optional<std::string> KnownKeys::aliased(std::string_view parent, const std::string& key) const {
  const std::vector<std::string> known = below(parent);
  if (!parent.empty()) {
    const auto same = std::ranges::find(known, key, [](const std::string& name) { return plain(name); });
    if (same != known.end()) return std::string(parent) + "/" + *same;
    const auto role = std::ranges::find_if(role_aliases, [&](const Alias& alias) {
      return alias.name == key && std::ranges::count(known, alias.pointer) > 0;
    });
    if (role != std::end(role_aliases)) return std::string(parent) + "/" + std::string(role->pointer);
  }
  if (const auto option = options_called_.find(key); option != options_called_.end()) return option->second;
  const auto alias = std::ranges::find(aliases, key, &Alias::name);
  if (alias == std::end(aliases)) return std::nullopt;
  return std::string(alias->pointer);
}

bool is_free_key(std::string_view key) { return key.starts_with("x-"); }

std::optional<std::string> KnownKeys::meant_pointer(std::string_view parent, std::string_view key) const {
  if (key.size() > 64) return std::nullopt;
  if (auto pointer = aliased(parent, plain(key))) return pointer;
  if (const auto near = closest(key, below(parent))) return std::string(parent) + "/" + *near;
  if (!parent.empty() && std::ranges::count(outermost_, key) > 0) return "/" + std::string(key);
  for (const std::string_view other : {"/weights", "/biases", "/arithmetic"}) {
    if (std::ranges::count(below(other), key) > 0) return std::string(other) + "/" + std::string(key);
  }
  return std::nullopt;
}

void report_unknown_key(const std::string& place, const std::optional<std::string>& meant, const std::string& known,
                        Faults& faults) {
  faults.add_at_key("unknown-key", place, shown(place) + " is not a key that a problem has",
                    meant ? "did you mean " + *meant + "?" : known);
}

std::optional<std::string> not_supported_help(std::string_view key) {
  const auto found = std::ranges::find(later_keys, key, &Later::key);
  if (found == std::end(later_keys)) return std::nullopt;
  return std::string(found->help);
}

MembersByKey KnownKeys::check(JsonObject& object, const std::string& where,
                              std::initializer_list<std::string_view> known, Faults& faults) const {
  const std::vector<std::string> names(known.begin(), known.end());
  MembersByKey members;
  for (JsonMember& member : object.members) {
    if (const auto name = std::ranges::find(known, member.key); name != known.end()) members[*name] = &member;
  }
  for (JsonMember& member : object.members) {
    if (is_free_key(member.key) || std::ranges::count(names, member.key) > 0) continue;
    const auto near = closest(member.key, names);
    const auto meant = near ? pointer(where, *near) : meant_pointer(where, member.key);
    report_unknown_key(pointer(where, member.key), meant, "known here: " + listed(names), faults);
    const auto name = std::ranges::find_if(known, [&](std::string_view one) { return meant == pointer(where, one); });
    if (name != known.end()) members.emplace(*name, &member);
  }
  return members;
}

}  // namespace attn
