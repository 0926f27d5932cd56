#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// Where a text stands among many, and its hash.
struct HashedPlace {
  std::uint32_t hash = 0;
  std::uint32_t place = 0;
};

inline std::uint32_t short_hash(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

// Texts by their hashes, of which there may be millions: in order of the hashes, and of the texts where these are
// alike. One takes 8 bytes beside what the vector keeps free, and is found in some 30 steps at most where somebody has
// chosen texts that all have one hash.
class HashedPlaces {
 public:
  void reserve(std::size_t count) { all_.reserve(count); }
  void add(std::uint32_t hash, std::uint32_t place) { all_.push_back({hash, place}); }

  // To be called behind the last. `spelled(place)` is the text there; `repeated(place)` is called of each that says
  // what one of a lower place says, and which is not kept.
  template <class Spelled, class Repeated>
  void put_in_order(Spelled spelled, Repeated repeated) {
    sort_by_hash();
    std::map<std::string, std::uint32_t, std::less<>> alike;
    auto kept = all_.begin();
    for (auto begin = all_.begin(); begin != all_.end();) {
      const std::uint32_t hash = begin->hash;
      const auto end = std::find_if(begin, all_.end(), [&](const HashedPlace& at) { return at.hash != hash; });
      if (end - begin == 1) *kept++ = *begin;
      if (end - begin > 1) {
        std::sort(begin, end, [](const HashedPlace& one, const HashedPlace& other) { return one.place < other.place; });
        alike.clear();
        for (const HashedPlace& at : std::span(begin, end)) {
          const auto text = spelled(at.place);
          if (alike.contains(text)) {
            repeated(at.place);
          } else {
            alike.emplace(text, at.place);
          }
        }
        for (const auto& [text, place] : alike) *kept++ = {hash, place};
      }
      begin = end;
    }
    all_.erase(kept, all_.end());
  }

  // Looks up where hashes with the same first bits begin, so that many texts are found sooner. REQUIRES: put in order.
  void find_buckets();

  // The place of a text; nothing where it is none of them. REQUIRES: put in order.
  template <class Spelled>
  std::optional<std::uint32_t> find(std::string_view text, Spelled spelled) const {
    const std::uint32_t hash = short_hash(text);
    const auto begin = all_.begin() + (bits_ == 0 ? 0 : begins_[bucket_of(hash)]);
    const auto end = bits_ == 0 ? all_.end() : all_.begin() + begins_[bucket_of(hash) + 1];
    const auto found = std::partition_point(begin, end, [&](const HashedPlace& at) {
      return at.hash < hash || (at.hash == hash && spelled(at.place) < text);
    });
    const bool is_there = found != end && found->hash == hash && spelled(found->place) == text;
    return is_there ? std::optional(found->place) : std::nullopt;
  }

  std::span<const HashedPlace> in_order() const { return all_; }

 private:
  // REQUIRES: there are buckets.
  std::size_t bucket_of(std::uint32_t hash) const { return hash >> (32 - bits_); }

  void sort_by_hash();

  std::vector<HashedPlace> all_;
  int bits_ = 0;                       // of which there are buckets
  std::vector<std::uint32_t> begins_;  // of each bucket, and where the last one ends
};

}  // namespace attn
