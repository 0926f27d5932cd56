// Products with a matrix by the tiles of the fused kernel, compiled once for each
// instruction set.

#include "backend/cpu/product.h"

#include "backend/cpu/vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/product.cpp"
#include <hwy/foreach_target.h>
//
#include <algorithm>
#include <cmath>

#include "backend/cpu/vectors/dispatch.h"
#include "backend/cpu/vectors/tile-inl.h"
#include "backend/cpu/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

// Numbers of a row that are multiplied at once: so much of a task's rows stays in the second cache.
constexpr std::size_t block_depth = 512;

// Rows first to last of y. For each block of depth:
//
//   pack the block of x                       once, for all columns
//   for each panel of w's columns             packed before, for all tasks
//     for each group of rows   tile of y = tile of y + rows · panel
template <class T>
class ProductTask {
 public:
  ProductTask(const RowsTimesMatrix<T>& of, const T* panels, std::size_t first, std::size_t last)
      : of_(of), panels_(panels), first_(first), last_(last), groups_((last - first + tile_rows - 1) / tile_rows) {}

  bool multiply() {
    const std::size_t numbers = groups_ * tile_rows * block_depth + tile_rows * panel_width<T> + ones;
    T* const memory = static_cast<T*>(workspace(numbers * sizeof(T)));
    if (memory == nullptr) return false;
    rows_ = memory;
    tile_ = rows_ + groups_ * tile_rows * block_depth;
    factor_ = tile_ + tile_rows * panel_width<T>;
    std::fill(factor_, factor_ + ones, T{1});
    for (std::size_t start = 0; start < of_.depth; start += block_depth) {
      const std::size_t depth = std::min(block_depth, of_.depth - start);
      pack_rows(start, depth);
      for (std::size_t column = 0; column < of_.columns; column += panel_width<T>) {
        for (std::size_t group = 0; group < groups_; ++group) multiply_group(group, start, depth, column);
      }
    }
    return true;
  }

 private:
  static constexpr hn::ScalableTag<T> d{};
  static constexpr std::size_t ones = tile_rows + lanes<T>;

  // Rows that only fill the last group are those of the one before.
  const T* row_of_x(std::size_t i) const { return of_.x + std::min(first_ + i, last_ - 1) * of_.x_row; }

  void pack_rows(std::size_t start, std::size_t depth) {
    for (std::size_t i = 0; i < groups_ * tile_rows; ++i) {
      const T* const from = row_of_x(i) + start;
      T* to = rows_ + i / tile_rows * tile_rows * block_depth + i % tile_rows * lanes<T>;
      for (std::size_t at = 0; at < depth; at += lanes<T>, to += tile_rows * lanes<T>) {
        const bool whole = depth - at >= lanes<T>;
        hn::Store(whole ? hn::LoadU(d, from + at) : load_first(d, from + at, depth - at), d, to);
      }
    }
  }

  void multiply_group(std::size_t group, std::size_t start, std::size_t depth, std::size_t column) {
    const std::size_t width = std::min(panel_width<T>, of_.columns - column);
    const T* const rows = rows_ + group * tile_rows * block_depth;
    const T* const panel = panels_ + column * of_.depth + start * panel_width<T>;
    const bool wide = width > lanes<T>;
    if (start > 0) {
      each_part(group, column, width, [&](T* y, T* part, std::size_t n) ATTN_INLINE_LAMBDA {
        hn::Store(n == lanes<T> ? hn::LoadU(d, y) : load_first(d, y, n), d, part);
      });
      wide ? multiply_tile<2, true>(rows, panel, depth, tile_, factor_)
           : multiply_tile<1, true>(rows, panel, depth, tile_, factor_);
    } else {
      wide ? multiply_tile<2, false>(rows, panel, depth, tile_, factor_)
           : multiply_tile<1, false>(rows, panel, depth, tile_, factor_);
    }
    each_part(group, column, width, [&](T* y, const T* part, std::size_t n) ATTN_INLINE_LAMBDA {
      if (n == lanes<T>) {
        hn::StoreU(hn::Load(d, part), d, y);
      } else {
        store_first(hn::Load(d, part), d, y, n);
      }
    });
  }

  // Calls f with each vector of the tile and the n numbers of y that it stands for.
  template <class F>
  HWY_INLINE void each_part(std::size_t group, std::size_t column, std::size_t width, F&& f) {
    for (std::size_t i = 0; i < tile_rows; ++i) {
      const std::size_t row = first_ + group * tile_rows + i;
      if (row >= last_) break;
      T* const y = of_.y + row * of_.y_row + column;
      f(y, tile_ + i * lanes<T>, std::min(width, lanes<T>));
      if (width > lanes<T>) f(y + lanes<T>, tile_ + (tile_rows + i) * lanes<T>, width - lanes<T>);
    }
  }

  const RowsTimesMatrix<T>& of_;
  const T* panels_;  // [column / panel_width][depth][panel_width]
  std::size_t first_, last_, groups_;
  T* rows_ = nullptr;    // [group][block_depth / lanes][tile_rows][lanes]
  T* tile_ = nullptr;    // [panel_width / lanes][tile_rows][lanes]
  T* factor_ = nullptr;  // [tile_rows], all 1
};

template <class T>
std::size_t width_of_panel() {
  return panel_width<T>;
}

template <class T>
void pack_columns(const RowsTimesMatrix<T>& of, std::size_t column, T* panel) {
  pack_values(of.w + column, of.w_row, 0, of.depth, std::min(panel_width<T>, of.columns - column), of.depth, panel);
}

// Returns false where there is no memory for its packed blocks.
template <class T>
bool multiply_rows(const RowsTimesMatrix<T>& of, const T* panels, std::size_t first, std::size_t last) {
  return ProductTask<T>(of, panels, first, last).multiply();
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attn {
namespace {

// Without memory for its packed blocks, a row is worked out where it stands.
template <class T>
void multiply_plainly(const RowsTimesMatrix<T>& of, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    for (std::size_t column = 0; column < of.columns; ++column) {
      T sum = 0;
      for (std::size_t i = 0; i < of.depth; ++i)
        sum = std::fma(of.x[row * of.x_row + i], of.w[i * of.w_row + column], sum);
      of.y[row * of.y_row + column] = sum;
    }
  }
}

// Rows of a task: a block of them stays in the second cache.
constexpr std::size_t task_rows = 192;

template <class T>
void multiply_in_tasks(const RowsTimesMatrix<T>& of, Threads& threads) {
  const std::size_t width = ATTN_VERSION(width_of_panel<T>)();
  const std::size_t panel_count = (of.columns + width - 1) / width;
  const AlignedArray<T> panels = aligned_array<T>(panel_count * width * of.depth);
  const auto pack = ATTN_VERSION(pack_columns<T>);
  threads.each(panel_count, [&](std::size_t i) { pack(of, i * width, panels.get() + i * width * of.depth); });

  // Enough tasks for the threads to share, also where rows are few.
  const std::size_t fewer = (of.rows + 4 * threads.count() - 1) / (4 * threads.count());
  const std::size_t size = std::clamp<std::size_t>(fewer, 1, task_rows);
  const auto multiply = ATTN_VERSION(multiply_rows<T>);
  threads.each((of.rows + size - 1) / size, [&](std::size_t task) {
    const std::size_t first = task * size, last = std::min(of.rows, first + size);
    if (!multiply(of, panels.get(), first, last)) multiply_plainly(of, first, last);
  });
}

}  // namespace

void multiply_on(const RowsTimesMatrix<float>& product, Threads& threads) { multiply_in_tasks(product, threads); }
void multiply_on(const RowsTimesMatrix<double>& product, Threads& threads) { multiply_in_tasks(product, threads); }

}  // namespace attn
#endif  // HWY_ONCE
