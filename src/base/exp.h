#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/exp_table.h"
#include "base/host_device.h"

// exp and tanh of base/math.h, for the processor and for GPUs: the same bits on
// both. REQUIRES: as base/math.h; nvcc with --fmad=false.

namespace attn::everywhere {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

#ifdef __CUDACC__
// The table once more, where kernels find it.
struct ExpTable {
  exp_table::SplitPower powers[128];
};
constexpr ExpTable copied_exp_table() {
  ExpTable copy{};
  for (int i = 0; i < 128; ++i) copy.powers[i] = exp_table::powers[i];
  return copy;
}
static __device__ const ExpTable exp_table_on_device = copied_exp_table();
#endif

ATTN_HOST_DEVICE inline exp_table::SplitPower table_power(std::size_t i) {
#ifdef __CUDA_ARCH__
  return exp_table_on_device.powers[i];
#else
  return exp_table::powers[i];
#endif
}

// 2^exponent. REQUIRES: -1022 <= exponent <= 1023, where it is a normal number.
ATTN_HOST_DEVICE inline double power_of_two(std::int64_t exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(exponent + 1023) << 52;
  double power = 0;
  std::memcpy(&power, &bits, sizeof(power));
  return power;
}

// The whole number nearest to x; at a tie, either. REQUIRES: |x| < 2^52.
ATTN_HOST_DEVICE inline std::int64_t nearest_whole(double x) {
  return static_cast<std::int64_t>(x < 0 ? x - 0.5 : x + 0.5);
}

// (hi + lo) · 2^exponent, rounded once. REQUIRES: -1078 < exponent < -1020,
// 1 <= hi < 2 and |lo| < 2^-7, so that the result is subnormal or nearly so.
//
// Rounding hi + lo to a double and then to a subnormal number would round
// twice: up to 0.76 ulp. So the sum is worked out in units of 2^-1022, where
// adding 1 puts its last bit where the last bit of a subnormal number is.
ATTN_HOST_DEVICE inline double rounded_to_subnormal(double hi, double lo, std::int64_t exponent) {
  const double unit = power_of_two(-1022);
  const double scale = power_of_two(exponent + 1022);
  hi *= scale;
  lo *= scale;
  if (hi + lo >= 1) return (hi + lo) * unit;

  const double sum = 1 + hi;
  const double rest = (hi - (sum - 1)) + lo;  // the first difference is exact: what 1 + hi lost
  return ((sum + rest) - 1) * unit;
}

// e^x = 2^exponent · (hi + tail), 1 <= hi < 2: one large exact number and a small one.
struct SplitExp {
  double hi;
  double tail;
  std::int64_t exponent;
};

// With n the whole number nearest to x·128/ln 2, n = 128k + j and
// r = x - n·ln 2/128,
//
//   e^x = 2^k · 2^(j/128) · e^r,   |r| <= ln 2/256 < 0.00271.
//
// 2^(j/128) comes from a table as hi + lo, so that
//
//   2^(j/128) · e^r = hi + (lo + hi·(e^r - 1)).
//
// Errors of the small part, in ulp of the result: of r 0.001, of the polynomial
// 0.005, of the roundings in e^r - 1 0.002, of the last product and sum 0.004;
// together below 0.013. REQUIRES: |x| <= 746.
ATTN_HOST_DEVICE inline SplitExp split_exp(double x) {
  const std::int64_t n = nearest_whole(x * exp_table::steps_per_unit);
  const exp_table::SplitPower power = table_power(static_cast<std::size_t>(n & 127));

  // The first product is exact, and so is the difference: it is small and a
  // multiple of the last bit of x, or of the 2^-42 of step_hi.
  const auto steps = static_cast<double>(n);
  const double r = (x - steps * exp_table::step_hi) - steps * exp_table::step_lo;

  // e^r - 1. The coefficients are Taylor's, 1/n!; what is left off, r⁶/720 + ...,
  // is below 2^-60.6, where an ulp of the result is at least 2^-53.
  const double small = r + r * r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120))));
  return {power.hi, power.lo + power.hi * small, n >> 7};
}

// The upper 26 bits of x (Veltkamp).
ATTN_HOST_DEVICE inline double upper_half(double x) {
  const double spread = x * 0x1.0000002p27;
  return spread - (spread - x);
}

// What a - b·c is, exactly. REQUIRES: b·c is a rounded once, so that the
// difference fits a double; all three are normal and far from overflow.
ATTN_HOST_DEVICE inline double exact_remainder(double a, double b, double c) {
  // Dekker: halves of 26 bits multiply without loss.
  const double b_hi = upper_half(b);
  const double c_hi = upper_half(c);
  const double b_lo = b - b_hi;
  const double c_lo = c - c_hi;
  return (((a - b_hi * c_hi) - b_hi * c_lo) - b_lo * c_hi) - b_lo * c_lo;
}

// The two parts of e^x added: that rounds by 0.5 ulp. Scaling by 2^k is exact.
ATTN_HOST_DEVICE inline double exp(double x) {
  constexpr double largest = 0x1.62e42fefa39efp+9;  // the largest double with a finite result
  if (x != x) return not_a_number;
  if (x > largest) return infinity;
  if (x < -746) return 0;

  const auto [hi, tail, k] = split_exp(x);
  if (k < -1021) return rounded_to_subnormal(hi, tail, k);
  if (k > 1023) return (hi + tail) * 2 * power_of_two(k - 1);
  return (hi + tail) * power_of_two(k);
}

// With E = e^(2|x|) - 1, tanh |x| = E/(E + 2). Numerator and denominator are
// each kept as a double and what it leaves, and the quotient is corrected by its
// remainder: what remains are the 0.013 ulp of e^(2|x|), which count at most
// four times as much here, and the last addition. Near zero E would cancel;
// there it is x less a small part.
ATTN_HOST_DEVICE inline double tanh(double x) {
  if (x != x) return not_a_number;
  const double size = x < 0 ? -x : x;
  if (size > 20) return x < 0 ? -1 : 1;  // 1 - tanh x = 2/(e^(2x) + 1) < 2^-56

  if (size < 0x1p-28) return x;  // also -0; x³/3 is lost in rounding

  // Taylor's series; what is left off, 0.0006·x^17, is below 2^-58 of the result.
  if (size < 0.125) {
    const double z = x * x;
    const double rest =
        z * (-1.0 / 3 +
             z * (2.0 / 15 +
                  z * (-17.0 / 315 + z * (62.0 / 2835 + z * (-1382.0 / 155925 +
                                                             z * (21844.0 / 6081075 + z * (-929569.0 / 638512875)))))));
    return x + x * rest;
  }

  const auto [hi, tail, exponent] = split_exp(2 * size);
  const double scale = power_of_two(exponent);
  const double power = hi * scale;
  const double less = power - 1;
  const double top = less + tail * scale;
  const double top_rest = ((less - top) + tail * scale) + ((power - less) - 1);
  const double bottom = top + 2;
  const double bottom_rest = (top > 2 ? (top - bottom) + 2 : (2 - bottom) + top) + top_rest;

  const double quotient = top / bottom;
  const double remainder = exact_remainder(top, quotient, bottom) + (top_rest - quotient * bottom_rest);
  const double result = quotient + remainder / bottom;
  return x < 0 ? -result : result;
}

}  // namespace attn::everywhere
