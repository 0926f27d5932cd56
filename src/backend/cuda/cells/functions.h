#pragma once

#include "base/exp.h"
#include "base/host_device.h"
#ifndef __CUDA_ARCH__
#include "base/math.h"
#endif

// The functions of ops/functions.h as a GPU has them. exp, tanh and square roots
// are the same bits as everywhere; erf, pow, sin and cos of a GPU are CUDA's, at most
// 2 ulp from the exact value in double precision and, rounded once more, 0.50001
// ulp in single precision, where those of base/math.h are the exact value rounded.

namespace attn::cuda {

enum class OfOne { multiply, divide, add, exp, tanh, softcap, square, sqrt, relu, gelu, gelu_tanh, silu };
enum class OfTwo { add, subtract, multiply, divide, minimum };

// Of doubles.
namespace real {
#ifdef __CUDA_ARCH__
using ::cos, ::erf, ::pow, ::sin, ::sqrt;
#else
using attn::cos, attn::erf, attn::pow, attn::sin, attn::sqrt;
#endif
}  // namespace real

// Of floats: the double results, rounded. So is the square root, which comes to
// the same as rounding the exact one.
template <class T>
ATTN_HOST_DEVICE T exponential(T a) {
  return static_cast<T>(everywhere::exp(static_cast<double>(a)));
}
template <class T>
ATTN_HOST_DEVICE T hyperbolic_tangent(T a) {
  return static_cast<T>(everywhere::tanh(static_cast<double>(a)));
}
template <class T>
ATTN_HOST_DEVICE T square_root(T a) {
  return static_cast<T>(real::sqrt(static_cast<double>(a)));
}
template <class T>
ATTN_HOST_DEVICE T error_function(T a) {
  return static_cast<T>(real::erf(static_cast<double>(a)));
}
template <class T>
ATTN_HOST_DEVICE T power_of(T base, T exponent) {
  return static_cast<T>(real::pow(static_cast<double>(base), static_cast<double>(exponent)));
}

// base^a, or e^a where the base is 0.
template <class T>
ATTN_HOST_DEVICE T power(double base, T a) {
  return base == 0 ? exponential(a) : power_of(static_cast<T>(base), a);
}

// The larger of two numbers; a NaN among them is the larger.
template <class T>
ATTN_HOST_DEVICE T larger(T a, T b) {
  return b > a || b != b ? b : a;
}

template <class T>
ATTN_HOST_DEVICE T applied(OfTwo function, T a, T b) {
  switch (function) {
    case OfTwo::add:
      return a + b;
    case OfTwo::subtract:
      return a - b;
    case OfTwo::multiply:
      return a * b;
    case OfTwo::divide:
      return a / b;
    case OfTwo::minimum:
      return b < a ? b : a;
  }
  return a;
}

template <class T>
ATTN_HOST_DEVICE T applied(OfOne function, T a, T parameter) {
  switch (function) {
    case OfOne::multiply:
      return a * parameter;
    case OfOne::divide:
      return a / parameter;
    case OfOne::add:
      return a + parameter;
    case OfOne::exp:
      return exponential(a);
    case OfOne::tanh:
      return hyperbolic_tangent(a);
    case OfOne::softcap:
      return parameter * hyperbolic_tangent(a / parameter);
    case OfOne::square:
      return a * a;
    case OfOne::sqrt:
      return square_root(a);
    case OfOne::relu:
      return larger(a, T{0});
    case OfOne::gelu:
      return a * (static_cast<T>(0.5) * (1 + error_function(a / static_cast<T>(1.4142135623730951))));
    case OfOne::gelu_tanh: {
      const T cubed = a * a * a;
      const T inner = static_cast<T>(0.7978845608028654) * (a + static_cast<T>(0.044715) * cubed);
      return a * (static_cast<T>(0.5) * (1 + hyperbolic_tangent(inner)));
    }
    case OfOne::silu:
      return a / (1 + exponential(-a));
  }
  return a;
}

// (x − mean) / √(variance + eps), as ops/functions.h has it.
template <class T>
ATTN_HOST_DEVICE T normalized(T deviation, T variance, T eps, bool eps_outside) {
  const T divisor = eps_outside ? square_root(variance) + eps : square_root(variance + eps);
  return divisor == T{0} ? T{0} : deviation / divisor;
}

}  // namespace attn::cuda
