#pragma once

#include <cstddef>

#include "backend/cpu/threads.h"

namespace attn {

// y = x·w for many rows, as the projections of multi-head attention are.
template <class T>
struct RowsTimesMatrix {
  std::size_t rows = 0, depth = 0, columns = 0;
  const T* x = nullptr;                         // [row, depth]
  const T* w = nullptr;                         // [depth, column]
  T* y = nullptr;                               // [row, column]
  std::size_t x_row = 0, w_row = 0, y_row = 0;  // how far rows are apart, in numbers
};

// Each number of y is summed up in the order of `depth`, with fused multiply-adds
// where the processor has them: the same bits for any number of threads and of rows.
// REQUIRES: none of the sizes is 0.
void multiply_on(const RowsTimesMatrix<float>& product, Threads& threads);
void multiply_on(const RowsTimesMatrix<double>& product, Threads& threads);

}  // namespace attn
