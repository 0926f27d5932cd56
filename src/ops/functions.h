#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/interval.h"
#include "base/math.h"
#include "ops/op.h"

namespace attn {

// The smaller, and the larger, of two numbers; a NaN among them is the larger.
template <class T>
T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
  return b > a || std::isnan(b) ? b : a;
}

template <class T>
T square(T a) {
  return a * a;
}

template <class T>
bool is_nan(T a) {
  return std::isnan(a);
}

// a ∘ b, rounded to T.
template <class T>
T applied(Binary function, T a, T b) {
  switch (function) {
    case Binary::add:
      return a + b;
    case Binary::subtract:
      return a - b;
    case Binary::multiply:
      return a * b;
    case Binary::divide:
      return a / b;
    case Binary::minimum:
      return smaller(a, b);
  }
  return a;
}

// f(a), rounded to T; `parameter` as in Map.
template <class T>
T applied(Unary function, T a, T parameter) {
  switch (function) {
    case Unary::multiply:
      return a * parameter;
    case Unary::divide:
      return a / parameter;
    case Unary::add:
      return a + parameter;
    case Unary::exp:
      return exp(a);
    case Unary::tanh:
      return tanh(a);
    case Unary::softcap:
      return parameter * tanh(a / parameter);
    case Unary::square:
      return square(a);
    case Unary::sqrt:
      return sqrt(a);
  }
  return a;
}

// base^a, or e^a where the base is 0.
template <class T>
T power(double base, T a) {
  return base == 0 ? exp(a) : pow(static_cast<T>(base), a);
}

// Which wave stands at an index along the features of Waves.
struct WavePlace {
  WavePlace(const Waves& op, std::size_t feature)
      : is_sine(op.kind == Waves::Kind::sine || (op.kind == Waves::Kind::alternating && feature % 2 == 0)),
        pair(op.kind == Waves::Kind::alternating ? feature / 2 : feature) {}

  bool is_sine;
  std::size_t pair;
};

// One number of Waves: that of the i-th position and the given index along
// features. Each of exponent, power, quotient and sine is rounded to T.
template <class T>
T wave(const Waves& op, std::size_t i, std::size_t feature) {
  const WavePlace place(op, feature);
  const T exponent = static_cast<T>(static_cast<double>(2 * place.pair) / static_cast<double>(op.width));
  const T angle = static_cast<T>(op.first + i) / pow(static_cast<T>(op.base), exponent);
  return place.is_sine ? sin(angle) : cos(angle);
}

// An angle that is off by a few ulps moves its sine by as much.
template <>
inline Interval wave<Interval>(const Waves& op, std::size_t i, std::size_t feature) {
  const auto number = wave<double>(op, i, feature);
  const double slack = 4e-15 * (1 + static_cast<double>(op.first + i) * std::max(1.0, 1 / op.base));
  return {std::max(-1.0, number - slack), std::min(1.0, number + slack)};
}

// Which feature turns with one of Rotate, and by which pair's angle.
struct Turn {
  bool turns = false;
  bool is_first = false;
  std::size_t pair = 0;
  std::size_t partner = 0;
};

inline Turn turn_of(const Rotate& op, std::size_t feature, std::size_t pairs) {
  if (feature >= 2 * pairs) return {};
  if (op.interleaved) return {true, feature % 2 == 0, feature / 2, feature % 2 == 0 ? feature + 1 : feature - 1};
  const bool is_first = feature < pairs;
  return {true, is_first, feature % pairs, is_first ? feature + pairs : feature - pairs};
}

}  // namespace attn
