#include "tensor/dtype.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/numbers.h"

namespace attn {
namespace {

struct Width {
  int bits;    // of the significand, the leading 1 included
  int lowest;  // 2^lowest is the least number above 0
  int top;     // 2^top is the first power that is too large
};

constexpr std::array<Width, dtypes.size()> widths = {
    {{53, -1074, 1024}, {24, -149, 128}, {8, -133, 128}, {11, -24, 16}}};

constexpr Width width(Dtype dtype) { return widths[static_cast<std::size_t>(dtype)]; }

// The exponent of the last bit that a number of this size has. REQUIRES: finite.
int last_bit(double size, Width width) {
  if (size == 0) return width.lowest;
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::max(exponent - width.bits, width.lowest);
}

// To a whole number, ties to even. REQUIRES: 0 <= x < 2^52.
double nearest_even(double x) { return (x + 0x1p52) - 0x1p52; }

// A double scaled by a power of two is exact, so that only nearest_even rounds:
// once, to normal and subnormal numbers alike.
double rounded_to(double number, Width width) {
  const double size = std::abs(number);
  if (!std::isfinite(size)) return number;
  const int last = last_bit(size, width);
  const double nearest = std::ldexp(nearest_even(std::ldexp(size, -last)), last);
  const bool too_large = nearest >= std::ldexp(1.0, width.top);
  return std::copysign(too_large ? std::numeric_limits<double>::infinity() : nearest, number);
}

}  // namespace

double step_at_one(Dtype dtype) { return std::ldexp(1.0, 1 - width(dtype).bits); }

double stored(double number, Dtype dtype) {
  if (dtype == Dtype::f64) return number;
  if (dtype == Dtype::f32) return static_cast<double>(static_cast<float>(number));
  return rounded_to(number, width(dtype));
}

std::string shortest(double number, Dtype dtype) {
  if (dtype == Dtype::f32) return shortest(static_cast<float>(number));
  number = stored(number, dtype);
  if (dtype == Dtype::f64 || !std::isfinite(number) || number == 0) return shortest(number);

  // Seventeen digits name any double.
  for (int more_digits = 0;; ++more_digits) {
    assert(more_digits < 17);
    // "d.dde-07" to whole digits and their exponent.
    std::array<char, 32> text{};
    char* const end = std::to_chars(text.data(), text.data() + text.size(), std::abs(number),
                                    std::chars_format::scientific, more_digits)
                          .ptr;
    char* const e = std::find(text.data(), end, 'e');
    std::string digits(text.data(), e);
    if (more_digits > 0) digits.erase(1, 1);
    std::int64_t whole = 0;
    int exponent = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, exponent);

    // Below a power of two numbers are closer than above it: where the nearest
    // decimal, too far below, fails, the next one above may do.
    for (const std::int64_t candidate : {whole, whole + 1}) {
      double read = 0;
      parse_number(std::to_string(candidate) + "e" + std::to_string(exponent - more_digits), read);
      if (stored(read, dtype) == std::abs(number)) return shortest(std::copysign(read, number));
    }
  }
}

std::int64_t place_among(double number, Dtype dtype) {
  const Width kind = width(dtype);
  const double size = std::abs(number);
  const int last = std::isinf(size) ? kind.top - kind.bits + 1 : last_bit(size, kind);
  // Every last bit but the lowest serves half as many numbers as significands have.
  const std::int64_t half = std::int64_t{1} << (kind.bits - 1);
  const std::int64_t steps = std::isinf(size) ? half : static_cast<std::int64_t>(std::ldexp(size, -last));
  const std::int64_t place = steps + (last - kind.lowest) * half;
  return number < 0 ? -place : place;
}

}  // namespace attn
