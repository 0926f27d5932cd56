#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/interval.h"
#include "base/math.h"
#include "ops/op.h"

namespace attn {

inline constexpr double root_of_two_over_pi = 0.7978845608028654;

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

// Activations, as Map in ops/op.h has them, each operation rounded to T.
template <class T>
T relu(T a) {
  return larger(a, T{0});
}
template <class T>
T gelu(T a) {
  return a * (static_cast<T>(0.5) * (1 + erf(a / static_cast<T>(std::numbers::sqrt2))));
}
template <class T>
T gelu_tanh(T a) {
  const T cubed = a * a * a;
  const T inner = static_cast<T>(root_of_two_over_pi) * (a + static_cast<T>(0.044715) * cubed);
  return a * (static_cast<T>(0.5) * (1 + tanh(inner)));
}
template <class T>
T silu(T a) {
  return a / (1 + exp(-a));
}

// What a function makes of an interval that falls to `least` at `lowest`, and rises from there.
template <class F>
Interval with_one_minimum(F f, const Interval& a, double lowest, double least) {
  const auto wide = [](double number) { return 4e-16 * (1 + std::abs(number)); };
  const double low = f(a.low), high = f(a.high);
  const double most = std::max(low, high);
  if (std::isnan(low) || std::isnan(high)) return {least - wide(least), infinity};
  // So near its minimum a double cannot tell on which side it stands.
  const bool holds_it = a.low < lowest + 1e-6 && a.high > lowest - 1e-6;
  const double fewest = holds_it ? least : std::min(low, high);
  return {std::max(fewest, least) - wide(fewest), most == infinity ? most : most + wide(most)};
}
inline Interval gelu(const Interval& a) {
  return with_one_minimum([](double x) { return gelu(x); }, a, -0.7517915246935645, -0.16997120747990369);
}
inline Interval gelu_tanh(const Interval& a) {
  return with_one_minimum([](double x) { return gelu_tanh(x); }, a, -0.7524614220710162, -0.17004075057125412);
}
inline Interval silu(const Interval& a) {
  return with_one_minimum([](double x) { return silu(x); }, a, -1.2784645427610738, -0.2784645427610738);
}

// (x − mean) / √(variance + eps), or what people take it for.
template <class T>
T normalized(T deviation, T variance, T eps, bool eps_outside) {
  const T divisor = eps_outside ? sqrt(variance) + eps : sqrt(variance + eps);
  return divisor == T{0} ? T{0} : deviation / divisor;
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
    case Unary::relu:
      return relu(a);
    case Unary::gelu:
      return gelu(a);
    case Unary::gelu_tanh:
      return gelu_tanh(a);
    case Unary::silu:
      return silu(a);
  }
  return a;
}

// The parameter of a map, rounded to T; a root that is no double lies between two.
template <class T>
T parameter_of(const Map& op) {
  return static_cast<T>(op.parameter);
}
template <>
inline Interval parameter_of<Interval>(const Map& op) {
  const bool is_root = op.spelling.starts_with("√") && !is_small_whole(op.parameter);
  return is_root ? outward(op.parameter, op.parameter) : Interval(op.parameter);
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

// An angle that is off by a few ulps moves its sine by as much. The exponent's rounding moves
// base^−exponent by log(base)·exponent·base^−exponent ulps, of a base from 1 on less than one.
template <>
inline Interval wave<Interval>(const Waves& op, std::size_t i, std::size_t feature) {
  const auto number = wave<double>(op, i, feature);
  const auto position = static_cast<double>(op.first + i);
  if (position == 0) return number;
  const double slack = op.base >= 1 ? 5e-16 * (1 + position) : 4e-15 * (1 + position / op.base);
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
