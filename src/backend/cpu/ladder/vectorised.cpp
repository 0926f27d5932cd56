// As before, and each instruction works on a vector of numbers: 4, 8 or 16
// floats. The sums of a score run along the key's features, one sum a lane, and
// e^x is computed for a vector of scores at once.

#include "backend/cpu/vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/ladder/vectorised.cpp"
#include <hwy/foreach_target.h>
//
#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "backend/cpu/ladder/rung.h"
#include "backend/cpu/vectors/dispatch.h"
#include "backend/cpu/vectors/row-inl.h"
#include "backend/cpu/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t block = 32;

template <class T>
T dot(const T* a, const T* b, std::size_t size) {
  constexpr hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes<T> <= size; i += lanes<T>) sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
  if (i < size) sum = hn::MulAdd(load_first(d, a + i, size - i), load_first(d, b + i, size - i), sum);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// sum += weight · row
template <class T>
void add(T* sum, T weight, const T* row, std::size_t size) {
  constexpr hn::ScalableTag<T> d;
  const auto w = hn::Set(d, weight);
  std::size_t i = 0;
  for (; i + lanes<T> <= size; i += lanes<T>) {
    hn::StoreU(hn::MulAdd(w, hn::LoadU(d, row + i), hn::LoadU(d, sum + i)), d, sum + i);
  }
  for (; i < size; ++i) sum[i] += weight * row[i];
}

// `weights` [block][stride] holds whole vectors: cells behind the row's last are −∞.
template <class T>
void attend_block(const FusedAttention<T>& call, const HeadOfCall<T>& head, std::size_t first,
                  const std::vector<std::size_t>& keys, T* weights, std::size_t stride) {
  const std::size_t last = std::min(first + block, call.queries);
  const ScoreUnits<T> units(call);

  for (std::size_t start = 0; start < call.keys; start += block) {
    for (std::size_t query = first; query < last; ++query) {
      T* const row = weights + (query - first) * stride;
      for (std::size_t j = start; j < std::min(start + block, keys[query]); ++j) {
        row[j] = units.sign * dot(head.q + query * call.q_at.row, head.k + j * call.k_at.row, call.key_width);
      }
    }
  }

  for (std::size_t query = first; query < last; ++query) {
    T* const row = weights + (query - first) * stride;
    std::fill(row + keys[query], row + stride, -std::numeric_limits<T>::infinity());
    const ScoreRow<T> scores{row, lanes<T>, 0, stride / lanes<T>};
    const T largest = largest_of(scores, no_maximum<T>);
    const T total = weigh(scores, largest, units.exponent);
    for (std::size_t j = 0; j < keys[query]; ++j) row[j] /= total;
    std::fill_n(head.context + query * call.context_at.row, call.value_width, T{0});
  }

  for (std::size_t start = 0; start < call.keys; start += block) {
    for (std::size_t query = first; query < last; ++query) {
      const T* const row = weights + (query - first) * stride;
      for (std::size_t j = start; j < std::min(start + block, keys[query]); ++j) {
        add(head.context + query * call.context_at.row, row[j], head.v + j * call.v_at.row, call.value_width);
      }
    }
  }
}

template <class T>
void attend_vectorised(const FusedAttention<T>& call) {
  const std::size_t stride = (call.keys + lanes<T> - 1) / lanes<T> * lanes<T>;
  AlignedArray<T> weights = aligned_array<T>(block * stride + 1);
  std::vector<std::size_t> keys(call.queries);
  each_head(call, [&](std::size_t batch, std::size_t head) {
    const HeadOfCall<T> rows(call, batch, head);
    for (std::size_t query = 0; query < call.queries; ++query) keys[query] = keys_seen(call, batch, query);
    for (std::size_t first = 0; first < call.queries; first += block) {
      attend_block(call, rows, first, keys, weights.get(), stride);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attn {

Rung vectorised_rung() {
  return {"vectorised", "vectors of numbers, e^x among them", false,
          [](const FusedAttention<float>& call, Threads&) {
            ATTN_VERSION(attend_vectorised<float>)
            (call);
          },
          [](const FusedAttention<double>& call, Threads&) {
            ATTN_VERSION(attend_vectorised<double>)
            (call);
          }};
}

}  // namespace attn
#endif
