#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/dtype.h"

// Numbers of a dtype as they stand in memory.

// REQUIRES: stored(number, dtype) == number, or NaN.
inline void encode(double number, attn::Dtype dtype, std::byte* to) {
  const auto narrow = static_cast<float>(number);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, 4);
  std::uint16_t half = 0;
  switch (dtype) {
    case attn::Dtype::f64:
      std::memcpy(to, &number, 8);
      return;
    case attn::Dtype::f32:
      std::memcpy(to, &narrow, 4);
      return;
    case attn::Dtype::bf16:
      half = static_cast<std::uint16_t>(bits >> 16);
      break;
    case attn::Dtype::f16: {
      int exponent = 0;
      const double fraction = std::frexp(std::abs(number), &exponent);  // in [0.5, 1)
      if (std::isnan(number)) {
        half = 0x7e00;
      } else if (std::isinf(number)) {
        half = 0x7c00;
      } else if (exponent < -13) {  // subnormal, in units of 2^-24
        half = static_cast<std::uint16_t>(std::ldexp(std::abs(number), 24));
      } else {
        half = static_cast<std::uint16_t>(((exponent + 14) << 10) + static_cast<int>(fraction * 2048) - 1024);
      }
      half = static_cast<std::uint16_t>(half | (std::signbit(number) ? 0x8000 : 0));
      break;
    }
  }
  std::memcpy(to, &half, 2);
}

inline double decoded(const std::byte* at, attn::Dtype dtype) {
  double wide = 0;
  float narrow = 0;
  std::uint16_t half = 0;
  switch (dtype) {
    case attn::Dtype::f64:
      std::memcpy(&wide, at, 8);
      return wide;
    case attn::Dtype::f32:
      std::memcpy(&narrow, at, 4);
      return static_cast<double>(narrow);
    case attn::Dtype::bf16: {
      std::memcpy(&half, at, 2);
      const std::uint32_t bits = std::uint32_t{half} << 16;
      std::memcpy(&narrow, &bits, 4);
      return static_cast<double>(narrow);
    }
    case attn::Dtype::f16: {
      std::memcpy(&half, at, 2);
      const int exponent = half >> 10 & 31, fraction = half & 1023;
      wide = exponent == 31  ? (fraction ? std::nan("") : HUGE_VAL)
             : exponent == 0 ? std::ldexp(fraction, -24)
                             : std::ldexp(1024 + fraction, exponent - 25);
      return half & 0x8000 ? -wide : wide;
    }
  }
  return 0;
}
