// As before, but a block of queries meets a block of keys while both are in the
// cache, and four scores are summed up side by side. The plain loop fetches every
// key again for every query, and each of its additions waits for the one before.

#include <algorithm>
#include <limits>

#include "backend/cpu/ladder/rung.h"
#include "base/math.h"

namespace attn {
namespace {

constexpr std::size_t block = 32;  // 32 keys and 32 queries of 64 floats are 16 KiB: half a first-level cache

template <std::size_t count, class T>
void scores(const FusedAttention<T>& call, const T* q, const T* k, T* to) {
  T sums[count] = {};
  for (std::size_t i = 0; i < call.key_width; ++i) {
    for (std::size_t n = 0; n < count; ++n) sums[n] += q[i] * k[n * call.k_at.row + i];
  }
  for (std::size_t n = 0; n < count; ++n) to[n] = sums[n] * static_cast<T>(call.scale);
}

template <class T>
void attend_block(const FusedAttention<T>& call, const HeadOfCall<T>& head, std::size_t first,
                  const std::vector<std::size_t>& keys, std::vector<T>& weights) {
  const std::size_t last = std::min(first + block, call.queries);
  const auto weight = [&](std::size_t query) { return weights.data() + (query - first) * call.keys; };

  for (std::size_t start = 0; start < call.keys; start += block) {
    for (std::size_t query = first; query < last; ++query) {
      const T* const q = head.q + query * call.q_at.row;
      std::size_t j = start;
      const std::size_t end = std::max(start, std::min(start + block, keys[query]));
      for (; j + 4 <= end; j += 4) scores<4>(call, q, head.k + j * call.k_at.row, weight(query) + j);
      for (; j < end; ++j) scores<1>(call, q, head.k + j * call.k_at.row, weight(query) + j);
    }
  }

  for (std::size_t query = first; query < last; ++query) {
    T* const row = weight(query);
    T largest = -std::numeric_limits<T>::infinity(), total = 0;
    for (std::size_t j = 0; j < keys[query]; ++j) largest = std::max(largest, row[j]);
    for (std::size_t j = 0; j < keys[query]; ++j) total += row[j] = exp(row[j] - largest);
    for (std::size_t j = 0; j < keys[query]; ++j) row[j] /= total;
    std::fill_n(head.context + query * call.context_at.row, call.value_width, T{0});
  }

  for (std::size_t start = 0; start < call.keys; start += block) {
    for (std::size_t query = first; query < last; ++query) {
      T* const context = head.context + query * call.context_at.row;
      for (std::size_t j = start; j < std::min(start + block, keys[query]); ++j) {
        const T* const v = head.v + j * call.v_at.row;
        for (std::size_t i = 0; i < call.value_width; ++i) context[i] += weight(query)[j] * v[i];
      }
    }
  }
}

template <class T>
void attend(const FusedAttention<T>& call, Threads&) {
  std::vector<T> weights(block * call.keys);
  std::vector<std::size_t> keys(call.queries);
  each_head(call, [&](std::size_t batch, std::size_t head) {
    const HeadOfCall<T> rows(call, batch, head);
    for (std::size_t query = 0; query < call.queries; ++query) keys[query] = keys_seen(call, batch, query);
    for (std::size_t first = 0; first < call.queries; first += block) attend_block(call, rows, first, keys, weights);
  });
}

}  // namespace

Rung blocked_rung() {
  return {"blocked", "queries and keys in blocks that stay in the cache, four sums at a time", false, attend<float>,
          attend<double>};
}

}  // namespace attn
