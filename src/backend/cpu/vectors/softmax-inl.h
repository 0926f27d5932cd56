// The online softmax of a block of scores. Included once for each instruction set.
#if defined(ATTN_SOFTMAX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_SOFTMAX_INL_H
#undef ATTN_SOFTMAX_INL_H
#else
#define ATTN_SOFTMAX_INL_H
#endif

#include <cstddef>
#include <hwy/highway.h>
#include <limits>

#include "backend/cpu/vectors/cells-inl.h"
#include "backend/cpu/vectors/functions-inl.h"
#include "backend/cpu/vectors/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where a row without open cells begins: below every score, and finite, so that
// differences of maxima are numbers.
template <class T>
constexpr T no_maximum = std::numeric_limits<T>::lowest();

template <class T>
HWY_INLINE T largest_of(const ScoreRow<T>& row, T largest) {
  constexpr hn::ScalableTag<T> d;
  auto a = hn::Set(d, largest), b = a;
  std::size_t i = row.first;
  for (; i + 2 <= row.last; i += 2) {
    a = hn::Max(a, hn::Load(d, row.at + i * row.step));
    b = hn::Max(b, hn::Load(d, row.at + (i + 1) * row.step));
  }
  if (i < row.last) a = hn::Max(a, hn::Load(d, row.at + i * row.step));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(a, b)));
}

// Scores become weights, raised as by raised_exp2. Returns their sum.
template <class T>
HWY_INLINE T weigh(const ScoreRow<T>& row, T maximum, T exponent) {
  constexpr hn::ScalableTag<T> d;
  const auto top = hn::Set(d, maximum);
  const Exponent<hn::ScalableTag<T>> power(d, exponent);
  auto sum = hn::Zero(d);
  for (std::size_t i = row.first; i < row.last; ++i) {
    T* const at = row.at + i * row.step;
    const auto weight = raised_exp2(d, hn::Sub(hn::Load(d, at), top), power);
    hn::Store(weight, d, at);
    sum = hn::Add(sum, weight);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// The same for `rows` rows at once, in vectors [n][rows][lanes] that follow one
// another: row i with its maximum, to its sum.
template <std::size_t rows, class T>
HWY_NOINLINE void weigh_rows(T* HWY_RESTRICT at, std::size_t n, const T* HWY_RESTRICT maximum, T exponent,
                             T* HWY_RESTRICT sums) {
  constexpr hn::ScalableTag<T> d;
  constexpr auto each_row = std::make_index_sequence<rows>();
  const Exponent<hn::ScalableTag<T>> power(d, exponent);
  hn::Vec<hn::ScalableTag<T>> sum[rows];
  unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA { sum[r] = hn::Zero(d); });
  for (std::size_t i = 0; i < n; ++i, at += rows * lanes<T>) {
    unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA {
      const auto score = hn::Load(d, at + r * lanes<T>);
      const auto weight = raised_exp2(d, hn::Sub(score, hn::Set(d, maximum[r])), power);
      hn::Store(weight, d, at + r * lanes<T>);
      sum[r] = hn::Add(sum[r], weight);
    });
  }
  unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA { sums[r] = hn::GetLane(hn::SumOfLanes(d, sum[r])); });
}

// One number through a function of vectors.
template <class T>
HWY_INLINE T exp2_of(T x, T exponent) {
  constexpr hn::ScalableTag<T> d;
  return hn::GetLane(exp2(d, hn::Set(d, x), Exponent<hn::ScalableTag<T>>(d, exponent)));
}

// What the sum of a finished row is to be divided by, and what a sink leaves of
// the sum: context = sum · kept / total.
template <class T>
struct RowEnd {
  T kept = 1, total = 0;
};

template <class T>
HWY_INLINE RowEnd<T> end_of_row(T maximum, T total, const T* sink, const ScoreUnits<T>& units) {
  if (sink == nullptr) return {T{1}, total};
  constexpr T raise = static_cast<T>(std::int64_t{1} << Exp2Constants<T>::raise);
  // How far the sink is above the scores, in double precision: it is one number a row.
  const double above = (static_cast<double>(*sink) - static_cast<double>(maximum) * units.score_of) * units.log2_base;
  if (above > 0) {
    const T kept = exp2_of(static_cast<T>(-above), T{1});
    return {kept, total * kept + raise};
  }
  return {T{1}, total + raise * exp2_of(static_cast<T>(above), T{1})};
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
