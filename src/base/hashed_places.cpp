#include "base/hashed_places.h"

#include <array>
#include <bit>
#include <utility>

namespace attn {
namespace {

constexpr int bits_at_once = 8;
constexpr std::size_t buckets = std::size_t{1} << bits_at_once;
constexpr std::size_t few = 64;

// By the hashes' bits from `shift` on, and by those below: into buckets where they stand, so that no more memory is
// taken, until few are left (McIlroy, Bostic and McIlroy 1993, Engineering Radix Sort, section 3).
void sort_by_bits(std::span<HashedPlace> places, int shift) {
  if (places.size() < few) {
    std::sort(places.begin(), places.end(),
              [](const HashedPlace& one, const HashedPlace& other) { return one.hash < other.hash; });
    return;
  }
  const auto bucket_of = [&](const HashedPlace& at) { return (at.hash >> shift) % buckets; };
  std::array<std::size_t, buckets> next = {}, end = {};
  for (const HashedPlace& at : places) ++end[bucket_of(at)];
  for (std::size_t bucket = 1; bucket < buckets; ++bucket) {
    next[bucket] = end[bucket - 1];
    end[bucket] += end[bucket - 1];
  }
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket == 0 ? 0 : end[bucket - 1];
    while (next[bucket] < end[bucket]) {
      HashedPlace& at = places[next[bucket]];
      const std::size_t its_own = bucket_of(at);
      if (its_own != bucket) std::swap(at, places[next[its_own]]);
      ++next[its_own];
    }
    if (shift > 0) sort_by_bits(places.subspan(begin, end[bucket] - begin), shift - bits_at_once);
  }
}

}  // namespace

void HashedPlaces::sort_by_hash() { sort_by_bits(all_, 32 - bits_at_once); }

void HashedPlaces::find_buckets() {
  // Some 16 in each, if hashes are spread evenly.
  bits_ = std::min(16, static_cast<int>(std::bit_width(all_.size() / 16)));
  if (bits_ == 0) return;
  begins_.assign((std::size_t{1} << bits_) + 1, 0);
  for (const HashedPlace& at : all_) ++begins_[bucket_of(at.hash) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
}

}  // namespace attn
