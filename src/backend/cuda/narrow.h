#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tensor/dtype.h"

// Numbers of 16 bits as they lie in memory.

namespace attn::cuda {

// REQUIRES: dtype is bf16 or f16, and holds the number.
inline std::uint16_t narrow_bits(float number, Dtype dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  if (dtype == Dtype::bf16) return static_cast<std::uint16_t>(bits >> 16);
  const std::uint32_t sign = bits >> 16 & 0x8000, fraction = bits >> 13 & 0x3ff;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127;
  if (exponent == 128) return static_cast<std::uint16_t>(sign | 0x7c00 | (std::isnan(number) ? 0x200 : 0));
  if (exponent >= -14)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(exponent + 15) << 10 | fraction);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::ldexp(std::abs(number), 24)));  // subnormal
}

inline float widened_bits(std::uint16_t narrow, Dtype dtype) {
  if (dtype == Dtype::bf16) {
    const std::uint32_t bits = std::uint32_t{narrow} << 16;
    float number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  const int exponent = narrow >> 10 & 31, fraction = narrow & 0x3ff;
  const float size = exponent == 31
                         ? (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity())
                     : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                     : std::ldexp(static_cast<float>(0x400 + fraction), exponent - 25);
  return narrow & 0x8000 ? -size : size;
}

}  // namespace attn::cuda
