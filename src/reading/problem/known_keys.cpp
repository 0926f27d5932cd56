#include "reading/problem/known_keys.h"

#include <algorithm>
#include <iterator>

#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

// What people call the members of `weights`, `biases`, `inputs`, `tokens`, `past` and `appended`.
struct Alias {
  std::string_view names, member;
};

constexpr Alias role_aliases[] = {
    {"q wq queries bq", "query"},      {"k wk keys bk", "key"}, {"v wv bv values", "value"},
    {"o wo bo out outproj", "output"}, {"k key", "keys"},       {"v value", "values"},
};

std::string plain(std::string_view key) {
  return plain_name(key, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
}

std::vector<std::string> names_below(std::string_view parent, const std::vector<ProblemKey>& keys) {
  std::vector<std::string> names;
  for (const ProblemKey& key : keys) {
    if (key.parent() == parent) names.emplace_back(key.name());
  }
  return names;
}

}  // namespace

KnownKeys::KnownKeys(const Catalog& catalog) : keys_(problem_keys(catalog)) {
  for (std::size_t i = 0; i < keys_.size(); ++i) places_.emplace(keys_[i].pointer, i);
  outermost_ = names_below("", keys_);
  for (const OptionSpec& option : catalog.options) {
    outermost_.push_back(option.name);
    for (const std::string& name : option.also_called) options_called_.emplace(name, "/" + option.name);
  }
}

const ProblemKey* KnownKeys::find(std::string_view pointer) const {
  const auto found = places_.find(pointer);
  return found == places_.end() ? nullptr : &keys_[found->second];
}

bool KnownKeys::has_keys_below(std::string_view parent) const {
  return std::ranges::any_of(keys_, [&](const ProblemKey& key) { return key.parent() == parent; });
}

std::vector<std::string> KnownKeys::below(std::string_view parent) const {
  if (parent.empty()) return outermost_;
  const ProblemKey* key = find(parent);
  return key && !key->kind.parts.empty() ? split(key->kind.parts, ' ') : names_below(parent, keys_);
}

std::optional<std::string> KnownKeys::aliased(std::string_view parent, const std::string& key) const {
  const std::vector<std::string> known = below(parent);
  if (!parent.empty()) {
    const auto same = std::ranges::find(known, key, [](const std::string& name) { return plain(name); });
    if (same != known.end()) return std::string(parent) + "/" + *same;
    const auto role = std::ranges::find_if(role_aliases, [&](const Alias& alias) {
      return has_word(alias.names, key) && std::ranges::count(known, alias.member) > 0;
    });
    if (role != std::end(role_aliases)) return std::string(parent) + "/" + std::string(role->member);
  }
  if (const auto option = options_called_.find(key); option != options_called_.end()) return option->second;
  const auto called =
      std::ranges::find_if(keys_, [&](const ProblemKey& one) { return has_word(one.also_called, key); });
  if (called == keys_.end()) return std::nullopt;
  // What only names a role is looked for where it stands: /biases/q_proj is a bias.
  constexpr std::string_view weights = "/weights/", biases = "/biases";
  const std::string_view pointer = called->pointer;
  if (parent != biases || key.find("weight") != std::string::npos) return std::string(pointer);
  if (!pointer.starts_with(weights)) return std::nullopt;  // several in one
  return std::string(biases) + "/" + std::string(pointer.substr(weights.size()));
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

MembersByKey KnownKeys::check(JsonObject& object, const std::string& where, const std::vector<std::string>& known,
                              Faults& faults) const {
  MembersByKey members;
  for (JsonMember& member : object.members) {
    const std::string key = member.key();
    if (std::ranges::count(known, key) > 0) {
      members[key] = &member;
    } else if (!is_free_key(key) && faults.are_enough()) {
      faults.count_one_more();
    } else if (!is_free_key(key)) {
      const auto near = closest(key, known);
      const auto meant = near ? pointer(where, *near) : meant_pointer(where, key);
      report_unknown_key(pointer(where, key), meant, "known here: " + listed(known), faults);
      const auto name =
          std::ranges::find_if(known, [&](const std::string& one) { return meant == pointer(where, one); });
      if (name != known.end()) members.emplace(*name, &member);
    }
  }
  return members;
}

}  // namespace attn
