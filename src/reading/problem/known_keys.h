#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/faults.h"
#include "problem/option.h"
#include "reading/json/json.h"
#include "reading/problem/keys.h"

namespace attn {

// The members of an object by the known key that each stands for.
using MembersByKey = std::map<std::string, JsonMember*>;

// The keys of a problem, its options among them.
class KnownKeys {
 public:
  explicit KnownKeys(const Catalog& catalog);

  // Null where there is none, or it is an option.
  const ProblemKey* find(std::string_view pointer) const;

  // The members of what stands at `parent`: "" is the problem itself.
  std::vector<std::string> below(std::string_view parent) const;

  // Whether they are keys themselves.
  bool has_keys_below(std::string_view parent) const;

  // Reports every key of the object that is not among the known ones, with the
  // one that was most likely meant. `x-…` is free everywhere. A misspelt key
  // stands for the one that was meant, where that is not given itself.
  MembersByKey check(JsonObject& object, const std::string& where, const std::vector<std::string>& known,
                     Faults& faults) const;

  // The pointer that a key not known at `parent` ("" or "/weights", …) most
  // likely stands for.
  std::optional<std::string> meant_pointer(std::string_view parent, std::string_view key) const;

 private:
  std::optional<std::string> aliased(std::string_view parent, const std::string& key) const;

  std::vector<ProblemKey> keys_;
  std::map<std::string_view, std::size_t> places_;  // in keys_, by their pointers
  std::vector<std::string> outermost_;
  std::map<std::string, std::string> options_called_;  // pointers, by what people call them
};

// Whether a key is for other programs or for people.
bool is_free_key(std::string_view key);

// Reports the key at `place`, with the pointer that was meant where there is one, and else with `known`.
void report_unknown_key(const std::string& place, const std::optional<std::string>& meant, const std::string& known,
                        Faults& faults);

}  // namespace attn
