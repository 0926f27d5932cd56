#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attn {

// Texts, each with a number, that are looked for at the beginning of others.
class Trie {
 public:
  // How long a text may be: a walk along one is taken at every place of what people type.
  static constexpr std::size_t longest = 256;

  // A text that is there already keeps its number. REQUIRES: neither empty nor longer than `longest`.
  void add(std::string_view text, std::size_t number) {
    std::uint32_t node = 0;
    for (const char c : text) {
      const auto [edge, is_new] = edges_.try_emplace(key(node, c), static_cast<std::uint32_t>(numbers_.size()));
      if (is_new) numbers_.push_back(none);
      node = edge->second;
    }
    if (numbers_[node] == none) numbers_[node] = number;
  }

  // Calls `action` with the length and the number of every text that `text` begins with, the shortest first.
  template <class Action>
  void for_each_prefix(std::string_view text, Action action) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto edge = edges_.find(key(node, text[i]));
      if (edge == edges_.end()) return;
      node = edge->second;
      if (numbers_[node] != none) action(i + 1, numbers_[node]);
    }
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  static std::uint64_t key(std::uint32_t node, char c) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(c);
  }

  std::unordered_map<std::uint64_t, std::uint32_t> edges_;
  std::vector<std::size_t> numbers_ = {none};  // of nodes; the first is the root
};

}  // namespace attn
