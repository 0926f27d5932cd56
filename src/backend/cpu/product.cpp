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

// The patch of y. For each block of depth:
//
//   pack the block of x                       once, for all columns
//   for each panel of w's columns
//     for each group of rows   tile of y = tile of y + rows · panel
template <class T>
class ProductTask {
 public:
  ProductTask(const ManyRows<T>& of, const PackedMatrix<T>& w, const ProductPatch& patch)
      : of_(of), w_(w), patch_(patch), groups_((patch.last_row - patch.first_row + tile_rows - 1) / tile_rows) {}

  bool multiply() {
    const std::size_t numbers = groups_ * tile_rows * block_depth + tile_rows * panel_width<T> + ones;
    T* const memory = static_cast<T*>(workspace(numbers * sizeof(T)));
    if (memory == nullptr) return false;
    rows_ = memory;
    tile_ = rows_ + groups_ * tile_rows * block_depth;
    factor_ = tile_ + tile_rows * panel_width<T>;
    std::fill(factor_, factor_ + ones, T{1});
    for (std::size_t start = 0; start < w_.rows(); start += block_depth) {
      const std::size_t depth = std::min(block_depth, w_.rows() - start);
      pack_rows(start, depth);
      for (std::size_t column = patch_.first_column; column < patch_.last_column; column += panel_width<T>) {
        for (std::size_t group = 0; group < groups_; ++group) multiply_group(group, start, depth, column);
      }
    }
    return true;
  }

 private:
  static constexpr hn::ScalableTag<T> d{};
  static constexpr std::size_t ones = tile_rows + lanes<T>;

  // Rows that only fill the last group are those of the one before.
  const T* row_of_x(std::size_t i) const {
    return of_.x + std::min(patch_.first_row + i, patch_.last_row - 1) * of_.x_row;
  }

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
    const std::size_t width = std::min(panel_width<T>, w_.columns() - column);
    const T* const rows = rows_ + group * tile_rows * block_depth;
    const T* const panel = w_.panels() + column * w_.rows() + start * panel_width<T>;
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
      const std::size_t row = patch_.first_row + group * tile_rows + i;
      if (row >= patch_.last_row) break;
      T* const y = of_.y + row * of_.y_row + column;
      f(y, tile_ + i * lanes<T>, std::min(width, lanes<T>));
      if (width > lanes<T>) f(y + lanes<T>, tile_ + (tile_rows + i) * lanes<T>, width - lanes<T>);
    }
  }

  const ManyRows<T>& of_;
  const PackedMatrix<T>& w_;
  ProductPatch patch_;
  std::size_t groups_;
  T* rows_ = nullptr;    // [group][block_depth / lanes][tile_rows][lanes]
  T* tile_ = nullptr;    // [panel_width / lanes][tile_rows][lanes]
  T* factor_ = nullptr;  // [tile_rows], all 1
};

template <class T>
std::size_t width_of_panel() {
  return panel_width<T>;
}

// Returns false where there is no memory for its packed blocks.
template <class T>
bool multiply_patch(const ManyRows<T>& of, const PackedMatrix<T>& w, const ProductPatch& patch) {
  return ProductTask<T>(of, w, patch).multiply();
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attn {
namespace {

// Without memory for its packed blocks, a row is worked out where it stands.
template <class T>
void multiply_plainly(const ManyRows<T>& of, const PackedMatrix<T>& w, const ProductPatch& patch) {
  const std::size_t width = w.panel();
  for (std::size_t row = patch.first_row; row < patch.last_row; ++row) {
    for (std::size_t column = patch.first_column; column < patch.last_column; ++column) {
      const T* const from = w.panels() + column / width * width * w.rows() + column % width;
      T sum = 0;
      for (std::size_t i = 0; i < w.rows(); ++i) sum = std::fma(of.x[row * of.x_row + i], from[i * width], sum);
      of.y[row * of.y_row + column] = sum;
    }
  }
}

// Rows of a task: a block of them stays in the second cache.
constexpr std::size_t task_rows = 192;

constexpr std::size_t parts_of(std::size_t all, std::size_t size) { return (all + size - 1) / size; }

// Few rows are not cut up, since each task reads its columns of w from memory: the columns are.
template <class T>
void multiply_in_tasks(const ManyRows<T>& of, const PackedMatrix<T>& w, Threads& threads) {
  const std::size_t panels = parts_of(w.columns(), w.panel());
  const std::size_t row_tasks = parts_of(of.count, task_rows);
  const std::size_t rows = parts_of(of.count, row_tasks);
  const std::size_t wanted = std::clamp<std::size_t>(parts_of(4 * threads.count(), row_tasks), 1, panels);
  const std::size_t columns = parts_of(panels, wanted) * w.panel();
  const std::size_t column_tasks = parts_of(w.columns(), columns);
  const auto multiply = ATTN_VERSION(multiply_patch<T>);
  threads.each(row_tasks * column_tasks, [&](std::size_t task) {
    const std::size_t row = task / column_tasks * rows, column = task % column_tasks * columns;
    const ProductPatch patch{row, std::min(of.count, row + rows), column, std::min(w.columns(), column + columns)};
    if (!multiply(of, w, patch)) multiply_plainly(of, w, patch);
  });
}

}  // namespace

template <class T>
template <class From>
PackedMatrix<T>::PackedMatrix(const LyingMatrix<From>& matrix, Threads& threads)
    : rows_(matrix.rows), columns_(matrix.columns), panel_(ATTN_VERSION(width_of_panel<T>)()) {
  const std::size_t count = parts_of(columns_, panel_);
  panels_ = aligned_array<T>(count * panel_ * rows_);
  threads.each(count, [&](std::size_t i) {
    const std::size_t first = i * panel_, columns = std::min(panel_, columns_ - first);
    const From* from = matrix.numbers + first * matrix.column;
    T* to = panels_.get() + first * rows_;
    for (std::size_t row = 0; row < rows_; ++row, from += matrix.row, to += panel_) {
      for (std::size_t j = 0; j < columns; ++j) to[j] = static_cast<T>(from[j * matrix.column]);
      std::fill(to + columns, to + panel_, T{0});
    }
  });
}

template PackedMatrix<float>::PackedMatrix(const LyingMatrix<float>&, Threads&);
template PackedMatrix<float>::PackedMatrix(const LyingMatrix<double>&, Threads&);
template PackedMatrix<double>::PackedMatrix(const LyingMatrix<double>&, Threads&);

void multiply_on(const ManyRows<float>& rows, const PackedMatrix<float>& w, Threads& threads) {
  multiply_in_tasks(rows, w, threads);
}
void multiply_on(const ManyRows<double>& rows, const PackedMatrix<double>& w, Threads& threads) {
  multiply_in_tasks(rows, w, threads);
}

}  // namespace attn
#endif  // HWY_ONCE
