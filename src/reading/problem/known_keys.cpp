#include "reading/problem/known_keys.h"

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

// What people and frameworks call a key, without case, "-" and "_".
struct Alias {
  std::string_view names, pointer;
};

constexpr Alias aliases[] = {
    {"x input inputembeddings embeddingsmatrix embeddingmatrix data", "/inputs"},
    {"q query", "/queries"},
    {"k key", "/keys"},
    {"v value", "/values"},
    {"wq wquery qw qweight qweights qproj qprojweight queryweight queryweights", "/weights/query"},
    {"wk wkey kw kweight kweights kproj kprojweight keyweight keyweights", "/weights/key"},
    {"wv wvalue vw vweight vweights vproj vprojweight valueweight valueweights", "/weights/value"},
    {"wo wout woutput oproj outproj outprojweight outputweight outputweights output", "/weights/output"},
    {"bq qbias querybias", "/biases/query"},
    {"bk kbias keybias", "/biases/key"},
    {"bv vbias valuebias", "/biases/value"},
    {"bo outbias outputbias outprojbias", "/biases/output"},
    {"bias", "/biases"},
    {"h nhead nheads numheads numattentionheads numberofheads", "/heads"},
    {"numkeyvalueheads numkvheads kvnumheads nkvheads kvheads querygroups", "/kv_heads"},
    {"kvcache cache pastkeyvalues pastkv", "/past"},
    {"biaskv zeroattn addzeroattn", "/appended"},
    {"positionalencoding positionencoding position positionids", "/positions"},
    {"scorefunction scoring attentiontype", "/score"},
    {"maxlen maxlength", "/max_tokens"},
    {"words labels", "/tokens"},
    {"layout", "/weight_layout"},
    {"dtype", "/arithmetic/dtype"},
    {"rounding handrounding", "/arithmetic/hand_rounding"},
    {"precision decimals", "/digits"},
    {"name", "/title"},
    {"comment description", "/notes"},
};

// The same below `weights`, `biases`, `inputs`, `tokens`, `past` and `appended`.
constexpr Alias role_aliases[] = {
    {"q wq queries bq", "query"},      {"k wk keys bk", "key"}, {"v wv bv values", "value"},
    {"o wo bo out outproj", "output"}, {"k key", "keys"},       {"v value", "values"},
};

std::string plain(std::string_view key) {
  return plain_name(key, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
}

}  // namespace

KnownKeys::KnownKeys(std::vector<std::string> outermost, const std::vector<OptionSpec>& options)
    : outermost_(std::move(outermost)) {
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
      return has_word(alias.names, key) && std::ranges::count(known, alias.pointer) > 0;
    });
    if (role != std::end(role_aliases)) return std::string(parent) + "/" + std::string(role->pointer);
  }
  if (const auto option = options_called_.find(key); option != options_called_.end()) return option->second;
  const auto alias = std::ranges::find_if(aliases, [&](const Alias& one) { return has_word(one.names, key); });
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
