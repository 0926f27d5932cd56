// The product of a few rows with a panel of columns, in registers; and keys, values
// and queries laid out for it. Included once for each instruction set.
#if defined(ATTN_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_TILE_INL_H
#undef ATTN_TILE_INL_H
#else
#define ATTN_TILE_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A tile is `tile_rows` rows by two vectors of columns: as many sums as the
// registers hold (32, or 16), with some to spare for what is multiplied. Each
// number of a row then serves two products, and each number of a column twelve.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t tile_rows = 12;
#else
constexpr std::size_t tile_rows = 6;
#endif

template <class T>
constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());

template <class T>
constexpr std::size_t panel_width = 2 * lanes<T>;

// Calls f with the numbers below n, known to the compiler.
template <class F, std::size_t... i>
HWY_INLINE HWY_ATTR void unrolled(std::index_sequence<i...>, F&& f) {
  (f(std::integral_constant<std::size_t, i>()), ...);
}

#define ATTN_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

// rows · panel, written to `tile`, or tile · factor + rows · panel with a factor
// for each row.
//
//   rows   [depth / lanes][tile_rows][lanes]: a vector's worth of one row, then of the next
//   panel  [depth][panel_width], of which the first `vectors` vectors of each line are used
//   tile   [vectors][tile_rows][lanes]
//
// Each number of the tile is summed up in the order of `depth`. `largest`
// [tile_rows][lanes], where it is given, becomes at least what the tile holds:
// as long as the sums are in registers, that costs little. Not inlined: within a
// larger function the sums would not stay in registers.
template <std::size_t vectors, bool add, class T>
HWY_NOINLINE void multiply_tile(const T* HWY_RESTRICT rows, const T* HWY_RESTRICT panel, std::size_t depth,
                                T* HWY_RESTRICT tile, const T* HWY_RESTRICT factor, T* HWY_RESTRICT largest = nullptr) {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  constexpr D d;
  constexpr auto each_row = std::make_index_sequence<tile_rows>();
  constexpr auto each_vector = std::make_index_sequence<vectors>();

  V sum[tile_rows][vectors];
  unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA {
    unrolled(each_vector, [&](auto v) ATTN_INLINE_LAMBDA {
      if constexpr (add) {
        sum[r][v] = hn::Mul(hn::Set(d, factor[r]), hn::Load(d, tile + (v * tile_rows + r) * lanes<T>));
      } else {
        sum[r][v] = hn::Zero(d);
      }
    });
  });

  // What is needed some lines later, from the second-level cache to the first.
  constexpr std::size_t ahead = 8;
  const auto add_product = [&](const T* HWY_RESTRICT row) ATTN_INLINE_LAMBDA {
    for (std::size_t byte = 0; byte < panel_width<T> * sizeof(T); byte += 64) {
      hwy::Prefetch(panel + ahead * panel_width<T> + byte / sizeof(T));
    }
    V columns[vectors];
    unrolled(each_vector, [&](auto v) ATTN_INLINE_LAMBDA { columns[v] = hn::Load(d, panel + v * lanes<T>); });
    unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA {
      const V number = hn::Set(d, row[r * lanes<T>]);
      unrolled(each_vector, [&](auto v) ATTN_INLINE_LAMBDA { sum[r][v] = hn::MulAdd(number, columns[v], sum[r][v]); });
    });
    panel += panel_width<T>;
  };
  const std::size_t whole = depth / lanes<T>;
  for (std::size_t part = 0; part < whole; ++part, rows += tile_rows * lanes<T>) {
    for (std::size_t i = 0; i < lanes<T>; ++i) add_product(rows + i);
  }
  for (std::size_t i = 0; i < depth - whole * lanes<T>; ++i) add_product(rows + i);

  unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA {
    unrolled(each_vector,
             [&](auto v) ATTN_INLINE_LAMBDA { hn::Store(sum[r][v], d, tile + (v * tile_rows + r) * lanes<T>); });
  });
  if (largest == nullptr) return;
  unrolled(each_row, [&](auto r) ATTN_INLINE_LAMBDA {
    V most = hn::Load(d, largest + r * lanes<T>);
    unrolled(each_vector, [&](auto v) ATTN_INLINE_LAMBDA { most = hn::Max(most, sum[r][v]); });
    hn::Store(most, d, largest + r * lanes<T>);
  });
}

// The first n numbers of a vector, 0 after them; reads nothing behind them.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const T* from, std::size_t n) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(d, n), d, from);
#else
  HWY_ALIGN T numbers[hn::MaxLanes(D())] = {};
  std::memcpy(numbers, from, n * sizeof(T));
  return hn::Load(d, numbers);
#endif
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* to, std::size_t n) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, n), d, to);
#else
  HWY_ALIGN T numbers[hn::MaxLanes(D())];
  hn::Store(v, d, numbers);
  std::memcpy(to, numbers, n * sizeof(T));
#endif
}

// n numbers of a query, times a sign, to vectors that are `step` apart, 0 after them.
template <class T>
HWY_INLINE void pack_query(const T* q, std::size_t n, T sign, T* to, std::size_t step) {
  constexpr hn::ScalableTag<T> d;
  for (std::size_t i = 0; i < n; i += lanes<T>, to += step) {
    const auto x = n - i >= lanes<T> ? hn::LoadU(d, q + i) : load_first(d, q + i, n - i);
    hn::Store(hn::Mul(x, hn::Set(d, sign)), d, to);
  }
}

#if HWY_TARGET != HWY_SCALAR
// The blocks of 16 bytes of a vector, `step` apart.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, T* to, std::size_t step) {
  constexpr std::size_t blocks = hn::MaxLanes(D()) * sizeof(T) / 16;
  if constexpr (blocks == 1) {
    hn::Store(v, d, to);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), to, step);
    store_blocks(half, hn::UpperHalf(half, v), to + blocks / 2 * step, step);
  }
}

// A square of 16 bytes of keys by as many keys, turned in registers: as many
// squares side by side as a vector has blocks. Column i of the panel is key i.
template <class D>
HWY_INLINE void turn_squares(D d, const float* k0, const float* k1, const float* k2, const float* k3, float* to) {
  constexpr std::size_t width = panel_width<float>;
  const auto a = hn::LoadU(d, k0), b = hn::LoadU(d, k1), c = hn::LoadU(d, k2), e = hn::LoadU(d, k3);
  const auto ac_low = hn::InterleaveLower(d, a, c), ac_high = hn::InterleaveUpper(d, a, c);
  const auto be_low = hn::InterleaveLower(d, b, e), be_high = hn::InterleaveUpper(d, b, e);
  store_blocks(d, hn::InterleaveLower(d, ac_low, be_low), to, 4 * width);
  store_blocks(d, hn::InterleaveUpper(d, ac_low, be_low), to + width, 4 * width);
  store_blocks(d, hn::InterleaveLower(d, ac_high, be_high), to + 2 * width, 4 * width);
  store_blocks(d, hn::InterleaveUpper(d, ac_high, be_high), to + 3 * width, 4 * width);
}

template <class D>
HWY_INLINE void turn_squares(D d, const double* k0, const double* k1, double* to) {
  constexpr std::size_t width = panel_width<double>;
  const auto a = hn::LoadU(d, k0), b = hn::LoadU(d, k1);
  store_blocks(d, hn::InterleaveLower(d, a, b), to, 2 * width);
  store_blocks(d, hn::InterleaveUpper(d, a, b), to + width, 2 * width);
}
#endif

// A panel [width][panel_width] of `count` keys, one a column, from keys `stride`
// apart. Columns without a key repeat the last one: their scores are closed.
template <class T>
HWY_INLINE void pack_keys(const T* k, std::size_t stride, std::size_t count, std::size_t width, T* HWY_RESTRICT panel) {
  const auto key = [&](std::size_t i) ATTN_INLINE_LAMBDA { return k + std::min(i, count - 1) * stride; };
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr hn::ScalableTag<T> d;
  constexpr std::size_t side = 16 / sizeof(T);
  done = width - width % lanes<T>;
  for (std::size_t column = 0; column < panel_width<T>; column += side) {
    T* to = panel + column;
    for (std::size_t i = 0; i < done; i += lanes<T>, to += lanes<T> * panel_width<T>) {
      if constexpr (side == 4) {
        turn_squares(d, key(column) + i, key(column + 1) + i, key(column + 2) + i, key(column + 3) + i, to);
      } else {
        turn_squares(d, key(column) + i, key(column + 1) + i, to);
      }
    }
  }
#endif
  for (std::size_t column = 0; done < width && column < panel_width<T>; ++column) {
    for (std::size_t i = done; i < width; ++i) panel[i * panel_width<T> + column] = key(column)[i];
  }
}

// Panels [panel][block_keys][panel_width] of values `stride` apart: lines first
// to last of each, 0 to the right of the values.
template <class T>
HWY_INLINE void pack_values(const T* v, std::size_t stride, std::size_t first, std::size_t last, std::size_t width,
                            std::size_t block_keys, T* HWY_RESTRICT panels) {
  constexpr hn::ScalableTag<T> d;
  for (std::size_t j = first; j < last; ++j) {
    const T* const from = v + j * stride;
    for (std::size_t column = 0; column < width; column += lanes<T>) {
      T* const to = panels + (column / panel_width<T> * block_keys + j) * panel_width<T> + column % panel_width<T>;
      const std::size_t left = width - column;
      hn::Store(left >= lanes<T> ? hn::LoadU(d, from + column) : load_first(d, from + column, left), d, to);
    }
  }
}

// Lines of 0 in the same panels.
template <class T>
HWY_INLINE void pack_nothing(std::size_t first, std::size_t last, std::size_t width, std::size_t block_keys,
                             T* panels) {
  if (first >= last) return;
  for (std::size_t column = 0; column < width; column += panel_width<T>, panels += block_keys * panel_width<T>) {
    std::fill(panels + first * panel_width<T>, panels + last * panel_width<T>, T{0});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
