#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// Spellings and their ids. A table by hashes that has an ordered map at each of its places: nearly as quick as a table
// of the standard library where spellings are what people write, and no slower than a map where somebody has chosen
// them so that all have one hash.
class TokenIds {
 public:
  // False where there is such a spelling already; nothing is added then.
  bool add(std::string spelling, std::size_t id) {
    const bool is_new = maps_[place(spelling)].emplace(std::move(spelling), id).second;
    size_ += is_new ? 1 : 0;
    return is_new;
  }

  std::optional<std::size_t> find(std::string_view spelling) const {
    const Map& map = maps_[place(spelling)];
    const auto found = map.find(spelling);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }

  // Calls `action` with every spelling and its id, in whatever order.
  template <class Action>
  void for_each(Action action) const {
    for (const Map& map : maps_) {
      for (const auto& [spelling, id] : map) action(spelling, id);
    }
  }

  std::size_t size() const { return size_; }

 private:
  using Map = std::map<std::string, std::size_t, std::less<>>;

  static constexpr std::size_t places = 16'384;  // 8 tokens at each, of a vocabulary of 128 000

  static std::size_t place(std::string_view spelling) { return std::hash<std::string_view>()(spelling) % places; }

  std::vector<Map> maps_ = std::vector<Map>(places);
  std::size_t size_ = 0;
};

// Tokens as their model spells them, and their ids.
class Vocabulary {
 public:
  // False where there is such a spelling or such an id already; nothing is added then.
  bool add(std::string spelling, std::size_t id) {
    if (ids_.find(spelling) || !spellings_.emplace(id, spelling).second) return false;
    return ids_.add(std::move(spelling), id);
  }

  std::optional<std::size_t> id(std::string_view spelling) const { return ids_.find(spelling); }

  // Nothing where no token has that id.
  const std::string* spelling(std::size_t id) const {
    const auto found = spellings_.find(id);
    return found == spellings_.end() ? nullptr : &found->second;
  }

  std::size_t size() const { return ids_.size(); }
  const TokenIds& ids() const { return ids_; }

 private:
  TokenIds ids_;
  std::map<std::size_t, std::string> spellings_;  // in order: ids can be chosen so that all have one hash
};

}  // namespace attn
