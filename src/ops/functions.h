#pragma once

#include <cmath>

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
    case Unary::exp:
      return exp(a);
    case Unary::square:
      return square(a);
    case Unary::sqrt:
      return sqrt(a);
  }
  return a;
}

}  // namespace attn
