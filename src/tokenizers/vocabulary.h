#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace attn {

// Tokens as their model spells them, and their ids.
class Vocabulary {
 public:
  // False where there is such a spelling or such an id already; nothing is added then.
  bool add(std::string spelling, std::size_t id) {
    if (ids_.contains(spelling) || !spellings_.emplace(id, spelling).second) return false;
    ids_.emplace(std::move(spelling), id);
    return true;
  }

  std::optional<std::size_t> id(const std::string& spelling) const {
    const auto found = ids_.find(spelling);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

  // Nothing where no token has that id.
  const std::string* spelling(std::size_t id) const {
    const auto found = spellings_.find(id);
    return found == spellings_.end() ? nullptr : &found->second;
  }

  std::size_t size() const { return ids_.size(); }
  const std::unordered_map<std::string, std::size_t>& ids() const { return ids_; }

 private:
  std::unordered_map<std::string, std::size_t> ids_;
  std::map<std::size_t, std::string> spellings_;  // in order: ids can be chosen so that all have one hash
};

}  // namespace attn
