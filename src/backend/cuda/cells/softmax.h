#pragma once

#include "backend/cuda/cells/functions.h"
#include "backend/cuda/cells/grid.h"
#include "backend/cuda/cells/rows.h"

// The parts of Softmax that have a number a cell, and the sum that counts a sink.

namespace attn::cuda {

// base^(score − maximum), 0 where closed.
struct ExponentialCell {
  Reads reads;  // scores, maximum
  double base = 0;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const T maximum = reads.read<T>(1, index);
    // A row without an open score has no maximum to subtract.
    if (reads.closed(index) || maximum == minus_infinity<T>) return 0;
    return static_cast<double>(power<T>(base, reads.read<T>(0, index) - maximum));
  }
};

// The exponentials' sum and, last, base^(sink − maximum).
struct SinkSumCell {
  SumCell exponentials;  // reads: exponentials, sink, maximum
  double base = 0;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Reads& reads = exponentials.reads;
    const Index index = reads.grid.index(at);
    const T sum = exponentials.row_sum<T>(index);
    const T maximum = reads.read<T>(2, index);
    if (maximum == minus_infinity<T>) return static_cast<double>(sum);
    return static_cast<double>(sum + power<T>(base, reads.read<T>(1, index) - maximum));
  }
};

// exponential / sum, 0 in a closed row.
struct WeightCell {
  Reads reads;  // exponentials, sum

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const T sum = reads.read<T>(1, index);
    if (reads.closed(index) || sum == T{0}) return 0;
    return static_cast<double>(reads.read<T>(0, index) / sum);
  }
};

// score / the sum of the row's open scores, 0 where closed.
struct ShareCell {
  Reads reads;
  Row over;
  int axis = 0;  // that the row runs along

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    if (reads.closed(index)) return 0;
    Index start = index;
    start.along[axis] = 0;
    const double* numbers = reads.at(0, start);
    const double* open = reads.open_at(start);

    T sum = 0;
    for (std::size_t i = 0; i < over.size; ++i) {
      if (open && open[i * over.open_step] == 0) continue;
      sum += static_cast<T>(numbers[i * over.step]);
    }
    return static_cast<double>(reads.read<T>(0, index) / sum);
  }
};

}  // namespace attn::cuda
