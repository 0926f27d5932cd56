// The product of a few rows with a panel of columns, in registers. Included once
// for each instruction set.
#if defined(ATTN_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_TILE_INL_H
#undef ATTN_TILE_INL_H
#else
#define ATTN_TILE_INL_H
#endif

#include <cstddef>
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

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
