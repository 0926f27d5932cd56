#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/host_device.h"

// Where the cells of a result and of what it is made from stand. What is written
// here and in the other headers of this folder is one cell's whole computation:
// a GPU's thread runs it, and so does a test on the host.
//
// Plain C++17, passed to kernels by value.

namespace attn::cuda {

inline constexpr int most_axes = 8;
inline constexpr int most_operands = 8;

// A cell of the result, an index an axis.
struct Index {
  std::size_t along[most_axes];
};

// The sizes of the result.
struct CellGrid {
  std::size_t sizes[most_axes] = {};
  int rank = 0;

  // The cell that is `at`-th in row-major order.
  ATTN_HOST_DEVICE Index index(std::size_t at) const {
    Index found = {};
    for (int axis = rank - 1; axis >= 0; --axis) {
      found.along[axis] = at % sizes[axis];
      at /= sizes[axis];
    }
    return found;
  }
};

// Numbers that are read, and how far apart neighbours along each axis of the
// result stand; 0 where they are the same along it.
template <class Number>
struct Strided {
  const Number* data = nullptr;
  std::size_t steps[most_axes] = {};

  // Where the number stands that a cell of the result reads.
  ATTN_HOST_DEVICE const Number* at(const Index& index, int rank) const {
    std::size_t offset = 0;
    for (int axis = 0; axis < rank; ++axis) offset += index.along[axis] * steps[axis];
    return data + offset;
  }
};

// What every operation over cells has: a result, operands, perhaps a mask.
struct Reads {
  CellGrid grid;
  Strided<double> operands[most_operands];
  int count = 0;  // of operands
  Strided<double> open;

  ATTN_HOST_DEVICE const double* at(int operand, const Index& index) const {
    return operands[operand].at(index, grid.rank);
  }
  // Null where there is no mask.
  ATTN_HOST_DEVICE const double* open_at(const Index& index) const {
    return open.data != nullptr ? open.at(index, grid.rank) : nullptr;
  }

  template <class T>
  ATTN_HOST_DEVICE T read(int operand, const Index& index) const {
    return static_cast<T>(*at(operand, index));
  }

  ATTN_HOST_DEVICE bool closed(const Index& index) const { return open.data != nullptr && *open_at(index) == 0; }

  // The sum and each operand from `first` on, in order.
  template <class T>
  ATTN_HOST_DEVICE T with_further(T sum, int first, const Index& index) const {
    for (int i = first; i < count; ++i) sum += read<T>(i, index);
    return sum;
  }
};

// The cells along the axis that an operation adds up, or chooses from.
struct Row {
  std::size_t size = 0;
  std::size_t step = 0;        // of the first operand
  std::size_t other_step = 0;  // of the second
  std::size_t open_step = 0;   // of the mask
};

template <class T>
inline constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

}  // namespace attn::cuda
