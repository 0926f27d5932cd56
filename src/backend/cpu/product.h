#pragma once

#include <cstddef>

#include "backend/cpu/threads.h"
#include "backend/cpu/workspace.h"

namespace attn {

// A matrix as it lies in memory: the number in row i and column j is
// numbers[i * row + j * column].
template <class T>
struct LyingMatrix {
  const T* numbers = nullptr;
  std::size_t rows = 0, columns = 0;
  std::size_t row = 0, column = 1;
};

// The same as the tiles read it: packed once, for many products. Belongs to the
// instruction set that was in use.
template <class T>
class PackedMatrix {
 public:
  // Other numbers are rounded to T. Throws std::bad_alloc where there is no memory.
  // REQUIRES: no size is 0.
  template <class From>
  PackedMatrix(const LyingMatrix<From>& matrix, Threads& threads);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  // [column / panel][row][panel]: columns that follow one another, so many at a time.
  const T* panels() const { return panels_.get(); }
  std::size_t panel() const { return panel_; }

 private:
  std::size_t rows_, columns_, panel_;
  AlignedArray<T> panels_;
};

// y = x·w for many rows, as the projections of multi-head attention are.
template <class T>
struct ManyRows {
  std::size_t count = 0;
  const T* x = nullptr;              // [row, row of w]
  T* y = nullptr;                    // [row, column of w]
  std::size_t x_row = 0, y_row = 0;  // how far rows are apart, in numbers
};

// Of a product some rows and columns.
struct ProductPatch {
  std::size_t first_row, last_row;        // rows first to last, the last not among them
  std::size_t first_column, last_column;  // the first begins a panel
};

// Each number of y is summed up in the order of w's rows, with fused multiply-adds
// where the processor has them: the same bits for any number of threads and of rows.
// REQUIRES: there is a row, and w was packed for the instruction set in use.
void multiply_on(const ManyRows<float>& rows, const PackedMatrix<float>& w, Threads& threads);
void multiply_on(const ManyRows<double>& rows, const PackedMatrix<double>& w, Threads& threads);

}  // namespace attn
