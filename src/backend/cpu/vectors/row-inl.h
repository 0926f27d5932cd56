// A row of scores from its product to its context: what is done to it before its
// softmax, the online softmax of a block, and the division by the sum of the
// weights. Included once for each instruction set.
#if defined(ATTN_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_ROW_INL_H
#undef ATTN_ROW_INL_H
#else
#define ATTN_ROW_INL_H
#endif

#include <cstddef>
#include <hwy/highway.h>
#include <limits>

#include "backend/cpu/vectors/cells.h"
#include "backend/cpu/vectors/functions-inl.h"
#include "backend/cpu/vectors/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// --- Before the softmax ---------------------------------------------------------

// Scores of one query in a block of keys: vector i, for keys i · lanes and
// following, stands at `at + i * step`.
template <class T>
struct ScoreRow {
  T* at = nullptr;
  std::size_t step = 0;
  std::size_t first = 0, last = 0;  // the vectors that count
};

template <class T, class F>
HWY_INLINE void each_vector_of(const ScoreRow<T>& row, F&& f) {
  constexpr hn::ScalableTag<T> d;
  for (std::size_t i = row.first; i < row.last; ++i) {
    T* const at = row.at + i * row.step;
    hn::Store(f(hn::Load(d, at), i * lanes<T>), d, at);
  }
}

// s = cap · tanh(s · scale / cap).
template <class T>
HWY_NOINLINE void cap_scores(const ScoreRow<T>& row, const ScoreUnits<T>& units) {
  constexpr hn::ScalableTag<T> d;
  each_vector_of(row, [&](auto s, std::size_t) ATTN_INLINE_LAMBDA {
    return hn::Mul(hn::Set(d, units.cap), tanh(d, hn::Mul(s, hn::Set(d, units.cap_inverse))));
  });
}

// s = s · scale + bias; closed where the bias is −∞. `bias` is that of the
// block's first key, `keys` how many the block has.
template <class T>
HWY_NOINLINE void add_bias(const ScoreRow<T>& row, T scale, const T* bias, CellStrides at, std::size_t keys) {
  constexpr hn::ScalableTag<T> d;
  const auto closed = hn::Set(d, -std::numeric_limits<T>::infinity());
  each_vector_of(row, [&](auto s, std::size_t key) ATTN_INLINE_LAMBDA {
    HWY_ALIGN T numbers[lanes<T>] = {};
    auto b = hn::Zero(d);
    if (at.key == 1 && key + lanes<T> <= keys) {
      b = hn::LoadU(d, bias + key);
    } else {
      for (std::size_t i = 0; i < lanes<T> && key + i < keys; ++i) numbers[i] = bias[at.to_key(key + i)];
      b = hn::Load(d, numbers);
    }
    return hn::IfThenElse(hn::Eq(b, closed), closed, hn::MulAdd(s, hn::Set(d, scale), b));
  });
}

// Closed where `open` is 0.
template <class T>
HWY_NOINLINE void close_masked(const ScoreRow<T>& row, const std::uint8_t* open, CellStrides at, std::size_t keys) {
  constexpr hn::ScalableTag<T> d;
  const auto closed = hn::Set(d, -std::numeric_limits<T>::infinity());
  each_vector_of(row, [&](auto s, std::size_t key) ATTN_INLINE_LAMBDA {
    HWY_ALIGN T numbers[lanes<T>] = {};
    const std::uint8_t* const from = open + at.to_key(key);
    if (at.key == 1 && key + lanes<T> <= keys) {
      for (std::size_t i = 0; i < lanes<T>; ++i) numbers[i] = static_cast<T>(from[i]);
    } else {
      for (std::size_t i = 0; i < lanes<T> && key + i < keys; ++i) numbers[i] = static_cast<T>(from[at.to_key(i)]);
    }
    return hn::IfThenElse(hn::Eq(hn::Load(d, numbers), hn::Zero(d)), closed, s);
  });
}

// Closed outside [seen.first, seen.last) and before `appended`, or behind the
// block's keys.
template <class T>
HWY_NOINLINE void close_unseen(const ScoreRow<T>& row, KeySpan seen, KeySpan appended) {
  constexpr hn::ScalableTag<T> d;
  const auto closed = hn::Set(d, -std::numeric_limits<T>::infinity());
  const auto at_least = [&](auto place, std::size_t bound)
                            ATTN_INLINE_LAMBDA { return hn::Ge(place, hn::Set(d, static_cast<T>(bound))); };
  const auto below = [&](auto place, std::size_t bound)
                         ATTN_INLINE_LAMBDA { return hn::Lt(place, hn::Set(d, static_cast<T>(bound))); };
  each_vector_of(row, [&](auto s, std::size_t key) ATTN_INLINE_LAMBDA {
    const auto place = hn::Iota(d, static_cast<T>(key));
    const auto own = hn::And(at_least(place, seen.first), below(place, seen.last));
    const auto more = hn::And(at_least(place, appended.first), below(place, appended.last));
    return hn::IfThenElse(hn::Or(own, more), s, closed);
  });
}

// All of it, in order. The row's cells in the block of `keys` keys from `start`
// on; `all_seen` where lengths and window close none of them.
template <class T>
HWY_INLINE void shape_row(const FusedAttention<T>& call, const ScoreUnits<T>& units, const CellRow<T>& cells,
                          const ScoreRow<T>& row, std::size_t start, std::size_t keys, KeySpan appended,
                          bool all_seen) {
  if (call.softcap != 0) cap_scores(row, units);
  if (cells.bias != nullptr) {
    const T scale = call.softcap != 0 ? T{1} : units.scale;
    add_bias(row, scale, cells.bias + call.bias_at.to_key(start), call.bias_at, keys);
  }
  if (cells.open != nullptr) close_masked(row, cells.open + call.open_at.to_key(start), call.open_at, keys);
  if (!all_seen) close_unseen(row, within_block(cells.seen.first, cells.seen.last, start, keys), appended);
}

// --- The softmax ----------------------------------------------------------------

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

// --- The end --------------------------------------------------------------------

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
  T* const context = call.context + call.context_at.to(batch, at.head, at.query);
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
