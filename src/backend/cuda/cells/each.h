#pragma once

#include "backend/cuda/cells/functions.h"
#include "backend/cuda/cells/grid.h"

// What is done to one cell of each operand: Combine, Map, Gate, Close, and what of Normalize is.

namespace attn::cuda {

struct CombineCell {
  Reads reads;
  OfTwo function = OfTwo::add;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    if (reads.closed(index)) return 0;
    T value = reads.read<T>(0, index);
    for (int i = 1; i < reads.count; ++i) value = applied(function, value, reads.read<T>(i, index));
    return static_cast<double>(value);
  }
};

struct MapCell {
  Reads reads;
  OfOne function = OfOne::multiply;
  double parameter = 0;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    if (reads.closed(index)) return 0;
    return static_cast<double>(applied(function, reads.read<T>(0, index), static_cast<T>(parameter)));
  }
};

// f(a)·b.
struct GateCell {
  Reads reads;
  OfOne function = OfOne::silu;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    if (reads.closed(index)) return 0;
    return static_cast<double>(applied(function, reads.read<T>(0, index), T{0}) * reads.read<T>(1, index));
  }
};

// (x − mean) / √(variance + eps), or x / √(mean square + eps); or, affine, x·gain + bias.
struct NormalizedCell {
  Reads reads;
  bool is_affine = false;
  double eps = 0;
  bool eps_outside = false;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const T x = reads.read<T>(0, index);
    if (is_affine) {
      const T scaled = x * reads.read<T>(1, index);
      return static_cast<double>(scaled + reads.read<T>(2, index));
    }
    const bool centred = reads.count == 3;
    const T deviation = centred ? x - reads.read<T>(1, index) : x;
    const T variance = reads.read<T>(centred ? 2 : 1, index);
    return static_cast<double>(normalized(deviation, variance, static_cast<T>(eps), eps_outside));
  }
};

// Scores where the mask is open, perhaps with a bias; −∞ where it is closed.
struct CloseCell {
  Reads reads;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    if (reads.closed(index)) return minus_infinity<double>;
    const T score = reads.read<T>(0, index);
    return static_cast<double>(reads.count == 2 ? score + reads.read<T>(1, index) : score);
  }
};

}  // namespace attn::cuda
