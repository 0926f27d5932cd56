#include "base/math.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <iterator>
#include <limits>

#include "base/exp.h"
#include "base/exp_table.h"

namespace attn {

static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0,
              "the bits of exp, log and tanh rest on doubles being computed as doubles");
#ifdef __FAST_MATH__
#error "the bits of exp, log and tanh rest on -ffast-math being off"
#endif

namespace {

using everywhere::infinity;
using everywhere::not_a_number;

// f - log(1 + f), for |f| < 0.0665: what the logarithm loses against its
// tangent, so small that its rounding errors hardly count.
//
// With s = f/(2 + f), log(1 + f) = log((1 + s)/(1 - s)) = 2s + s·R, where
// R = 2s²/3 + 2s⁴/5 + ..., and 2s = f - f²/2 + s·f²/2. The coefficients are
// those of the series. |s| < 0.0344, so what is left off, 2s¹²/13 + ..., is
// below 2^-60.9, and log(1 + f) is off by |s| times that: 2^-61.8 of itself.
double tangent_minus_log(double f) {
  const double s = f / (2 + f);
  const double z = s * s;
  const double r = z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * (2.0 / 11)))));
  const double half_square = 0.5 * f * f;
  return half_square - s * (half_square + r);
}

}  // namespace

double exp(double x) { return everywhere::exp(x); }
float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }

// The table of exp read backwards: with x = 2^k · z, 1 <= z < 2, and 2^(j/128)
// the largest entry up to z,
//
//   log x = (128k + j) · ln 2/128 + log(1 + r),   1 + r = z / 2^(j/128),
//
// and 0 <= r < 0.0055. The first term is a large exact number and a small one.
// Near x = 1 the two terms would cancel; there x - 1 is exact and small.
// Errors of the small parts, in ulp: below 0.14 in r (at results near 1/16,
// less the larger the result) and below 0.1 near x = 1.
double log(double x) {
  if (x == 0) return -infinity;
  if (!(x > 0)) return not_a_number;
  if (x == infinity) return infinity;

  const double f = x - 1;
  if (f < 0x1.1p-4 && f > -0x1.1p-4) return f - tangent_minus_log(f);

  std::int64_t k = -1023;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k -= 54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<std::int64_t>(bits >> 52);
  const auto z = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffff) | 0x3ff0'0000'0000'0000);

  const auto above = std::ranges::upper_bound(exp_table::powers, z, {}, &exp_table::SplitPower::hi);
  const auto power = std::prev(above);
  const std::int64_t j = std::distance(std::begin(exp_table::powers), power);
  const double r = ((z - power->hi) - power->lo) / power->hi;

  const auto steps = static_cast<double>(128 * k + j);
  const double large = steps * exp_table::step_hi;  // exact
  const double sum = large + r;
  const double rest = (large - sum) + r;  // exact: what the sum lost
  return sum + (rest + (steps * exp_table::step_lo - tangent_minus_log(r)));
}

double tanh(double x) { return everywhere::tanh(x); }
float tanh(float x) { return static_cast<float>(tanh(static_cast<double>(x))); }

}  // namespace attn
