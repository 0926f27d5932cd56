#pragma once

#include "base/math.h"
#include "ops/op.h"

namespace attn {

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
      return b < a ? b : a;
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
      return a * a;
    case Unary::sqrt:
      return sqrt(a);
  }
  return a;
}

}  // namespace attn
