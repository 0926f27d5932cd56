#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// Where a text stands among many, and its hash. In order of the hashes, and of the texts where these are alike, texts
// are found nearly as quickly as in a table, in 8 bytes each, and no slower where somebody has chosen texts that all
// have one hash.
struct HashedPlace {
  std::uint32_t hash = 0;
  std::uint32_t place = 0;

  std::uint64_t key() const { return std::uint64_t{hash} << 32 | place; }
};

inline std::uint32_t short_hash(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

// Puts them in order. `spelled(place)` is the text there; `repeated(place)` is called of each that says what one of a
// lower place says.
template <class Spelled, class Repeated>
void put_in_order(std::vector<HashedPlace>& hashed, Spelled spelled, Repeated repeated) {
  std::ranges::sort(hashed, [](const HashedPlace& one, const HashedPlace& other) { return one.key() < other.key(); });
  std::vector<std::pair<std::string_view, std::uint32_t>> alike;
  for (auto begin = hashed.begin(); begin != hashed.end();) {
    const auto end = std::find_if(begin, hashed.end(), [&](const HashedPlace& at) { return at.hash != begin->hash; });
    if (end - begin > 1) {
      alike.clear();
      std::for_each(begin, end, [&](const HashedPlace& at) { alike.emplace_back(spelled(at.place), at.place); });
      std::ranges::sort(alike);
      for (std::size_t i = 1; i < alike.size(); ++i) {
        if (alike[i].first == alike[i - 1].first) repeated(alike[i].second);
      }
      std::ranges::transform(alike, begin, [&](const auto& text) { return HashedPlace{begin->hash, text.second}; });
    }
    begin = end;
  }
}

// The place of a text; nothing where it is none of them. REQUIRES: put in order.
template <class Spelled>
std::optional<std::uint32_t> find_place(const std::vector<HashedPlace>& hashed, std::string_view text,
                                        Spelled spelled) {
  const std::uint32_t wanted = short_hash(text);
  const auto found = std::ranges::partition_point(hashed, [&](const HashedPlace& at) {
    return at.hash < wanted || (at.hash == wanted && spelled(at.place) < text);
  });
  const bool is_there = found != hashed.end() && found->hash == wanted && spelled(found->place) == text;
  return is_there ? std::optional(found->place) : std::nullopt;
}

}  // namespace attn
