#pragma once

#include "backend/cuda/cells/functions.h"
#include "backend/cuda/cells/grid.h"

// Positions: Waves and Rotate.

namespace attn::cuda {

// A sine or cosine of p / base^(2·pair/width).
struct WavesCell {
  enum class Kind { sine, cosine, alternating };

  Reads reads;
  Kind kind = Kind::alternating;
  int position_axis = 0, feature_axis = 0;
  std::size_t first = 0, width = 1;
  double base = 0;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const std::size_t feature = index.along[feature_axis];
    const bool alternating = kind == Kind::alternating;
    const bool is_sine = kind == Kind::sine || (alternating && feature % 2 == 0);
    const std::size_t pair = alternating ? feature / 2 : feature;

    const T exponent = static_cast<T>(static_cast<double>(2 * pair) / static_cast<double>(width));
    const T angle = static_cast<T>(first + index.along[position_axis]) / power_of(static_cast<T>(base), exponent);
    const double wave = is_sine ? real::sin(static_cast<double>(angle)) : real::cos(static_cast<double>(angle));
    return static_cast<double>(static_cast<T>(wave));
  }
};

// A feature turned with its partner by the angle of their pair:
// a·cos − b·sin, b·cos + a·sin.
struct RotateCell {
  Reads reads;  // numbers, cosines, sines
  bool interleaved = false;
  int axis = 0;
  std::size_t pairs = 0;
  std::size_t step = 0;                        // of the numbers along the axis
  std::size_t cosine_step = 0, sine_step = 0;  // of the tables along the pairs

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const std::size_t feature = index.along[axis];
    const T own = reads.read<T>(0, index);
    if (feature >= 2 * pairs) return static_cast<double>(own);

    const bool is_first = interleaved ? feature % 2 == 0 : feature < pairs;
    const std::size_t pair = interleaved ? feature / 2 : feature % pairs;
    const std::size_t apart = interleaved ? 1 : pairs;
    const std::size_t partner = is_first ? feature + apart : feature - apart;

    const T other = static_cast<T>(*(reads.at(0, index) - feature * step + partner * step));
    const T cosine = static_cast<T>(reads.at(1, index)[pair * cosine_step]);
    const T sine = static_cast<T>(reads.at(2, index)[pair * sine_step]);
    const T by_cosine = own * cosine;
    const T by_sine = other * sine;
    return static_cast<double>(is_first ? by_cosine - by_sine : by_cosine + by_sine);
  }
};

}  // namespace attn::cuda
