// The end of a row: its context is divided by the sum of its weights. Included
// once for each instruction set.
#if defined(ATTN_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_FINISH_INL_H
#undef ATTN_FINISH_INL_H
#else
#define ATTN_FINISH_INL_H
#endif

#include <cstddef>
#include <hwy/highway.h>

#include "backend/cpu/plain_row.h"
#include "backend/cpu/vectors/cells.h"
#include "backend/cpu/vectors/pack-inl.h"
#include "backend/cpu/vectors/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What a row has come to: the weighted sum of values, in vectors `step` apart,
// the maximum of its scores and the sum of its weights.
template <class T>
struct RowSums {
  const T* context = nullptr;
  std::size_t step = 0;
  T maximum = 0, total = 0;
};

// x / total, correctly rounded as a division is, given 1 / total. With fused
// multiply-add that takes a quarter of the time: the remainder of the first
// guess is exact (Markstein 1990, theorem 8.3; Muller et al., Handbook of
// Floating-Point Arithmetic, 2nd ed. 2018, section 4.7).
template <class D>
HWY_INLINE hn::Vec<D> quotient(D, hn::Vec<D> x, hn::Vec<D> total, hn::Vec<D> inverse) {
#if HWY_NATIVE_FMA
  const auto guess = hn::Mul(x, inverse);
  return hn::MulAdd(hn::NegMulAdd(guess, total, x), inverse, guess);
#else
  (void)inverse;
  return hn::Div(x, total);
#endif
}

// Writes the row's context. What is not finite, or has no weight, is worked out
// again by the definition: the row may be closed, NaN may stand behind a closed
// cell and count for nothing, or the result is not finite.
template <class T>
HWY_INLINE void finish_row(const FusedAttention<T>& call, const ScoreUnits<T>& units, std::size_t batch,
                           const FusedQuery& at, const RowSums<T>& sums) {
  constexpr hn::ScalableTag<T> d;
  T* const context =
      call.context + batch * call.context_at.batch + at.head * call.context_at.head + at.query * call.context_at.row;
  const T* const sink = call.sinks == nullptr ? nullptr : call.sinks + at.head * call.sink_stride;
  const RowEnd<T> end = end_of_row(sums.maximum, sums.total, sink, units);

  const auto kept = hn::Set(d, end.kept), total = hn::Set(d, end.total);
  const auto inverse = hn::Set(d, T{1} / end.total);
  auto differences = hn::Zero(d);  // 0 while everything is finite, NaN afterwards
  for (std::size_t i = 0; i < call.value_width; i += lanes<T>) {
    auto x = hn::Mul(hn::Load(d, sums.context + i / lanes<T> * sums.step), kept);
    x = quotient(d, x, total, inverse);
    x = hn::Add(x, hn::Zero(d));  // −0, of weights too small to count, is 0
    const std::size_t left = call.value_width - i;
    if (left >= lanes<T>) {
      hn::StoreU(x, d, context + i);
    } else {
      store_first(x, d, context + i, left);
    }
    differences = hn::Add(differences, hn::Sub(x, x));
  }
  const bool finite = hn::GetLane(hn::SumOfLanes(d, differences)) == T{0};
  if (!finite || !(sums.total > T{0})) {
    plain_row(call, batch, at.head, at.query);
  } else if (call.closed_rows != nullptr) {
    call.closed_rows[(batch * call.heads + at.head) * call.queries + at.query] = 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
