// What happens to a row of scores before its softmax. Included once for each
// instruction set.
#if defined(ATTN_CELLS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_CELLS_INL_H
#undef ATTN_CELLS_INL_H
#else
#define ATTN_CELLS_INL_H
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

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
