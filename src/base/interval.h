#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/exp.h"
#include "base/math.h"

namespace attn {

// The numbers from `low` to `high`, both included: what is known of a number
// that somebody rounded. Arithmetic on intervals gives an interval that holds
// every result that numbers from them can have, as if no two of them were the
// same number; ends are rounded outward, except where nothing is lost.
//
// REQUIRES throughout: low <= high, no NaN.
struct Interval {
  double low = 0;
  double high = 0;

  Interval() = default;
  Interval(double number) : low(number), high(number) {}  // NOLINT(google-explicit-constructor)
  Interval(double from, double to) : low(from), high(to) {}

  bool contains(double number) const { return low <= number && number <= high; }
  bool contains(const Interval& other) const { return low <= other.low && other.high <= high; }
  bool is_point() const { return low == high; }
  double width() const { return is_point() ? 0 : high - low; }

  bool operator==(const Interval&) const = default;
};

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// The next number in that direction, as std::nextafter has it, without a call: every
// operation on intervals needs two. Infinity has none, and NaN is NaN.
inline double next_above(double x) {
  if (x == infinity || std::isnan(x)) return x;
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  const auto bits = std::bit_cast<std::int64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
inline double next_below(double x) { return -next_above(-x); }

// What a sum, a product lost when it was rounded to the nearest (Knuth's two-sum; Dekker 1971):
// NaN where that overflows, or is too small to be held.
inline double lost_in_sum(double a, double b, double sum) {
  const double back = sum - a;
  return (a - (sum - back)) + (b - back);
}
inline double lost_in_product(double a, double b, double product) {
  if (a == 0 || b == 0 || std::isinf(a) || std::isinf(b)) return 0;
  constexpr double large = 0x1p990, small = 0x1p-960;
  if (!(std::abs(a) < large && std::abs(b) < large && std::abs(product) > small && std::abs(product) < large)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return -everywhere::exact_remainder(product, a, b);
}

// a + b rounded down, and up: itself where nothing is lost. −∞ where it is no number, and ∞.
inline double sum_below(double a, double b) {
  const double sum = a + b;
  if (std::isnan(sum)) return -infinity;
  const bool is_exact = std::isinf(a) || std::isinf(b) || lost_in_sum(a, b, sum) >= 0;
  return is_exact ? sum : next_below(sum);
}
inline double sum_above(double a, double b) { return -sum_below(-a, -b); }

// The interval whose ends were rounded to the nearest, made so wide that it holds what
// they were rounded from. An end that is NaN, as ∞ − ∞ is, could be anything.
inline Interval outward(double low, double high) {
  return {std::isnan(low) ? -infinity : next_below(low), std::isnan(high) ? infinity : next_above(high)};
}

inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }

inline Interval operator+(const Interval& a, const Interval& b) {
  if (a == Interval(0)) return b;
  if (b == Interval(0)) return a;
  return {sum_below(a.low, b.low), sum_above(a.high, b.high)};
}

// A number whose rounding lost so much: NaN where that is not known.
inline Interval with_lost(double rounded, double lost) {
  return {lost >= 0 ? rounded : next_below(rounded), lost <= 0 ? rounded : next_above(rounded)};
}

inline Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

inline Interval& operator+=(Interval& a, const Interval& b) { return a = a + b; }

// Whether it is a whole number, and has no rounding in it.
inline bool is_small_whole(double x) { return std::abs(x) < 9007199254740992.0 && std::floor(x) == x; }

inline Interval operator*(const Interval& a, const Interval& b) {
  if (a == Interval(0) || b == Interval(0)) return 0;
  // 0 · ∞ is 0 here: an end at infinity stands for numbers without a bound, and
  // zero times each of them is zero.
  const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  // Hand calculations are full of numbers that multiply without loss.
  if (a.is_point() && b.is_point()) return with_lost(a.low * b.low, lost_in_product(a.low, b.low, a.low * b.low));
  const double ll = times(a.low, b.low), lh = times(a.low, b.high);
  const double hl = times(a.high, b.low), hh = times(a.high, b.high);
  const double low = std::min(std::min(ll, lh), std::min(hl, hh));
  const double high = std::max(std::max(ll, lh), std::max(hl, hh));
  return outward(low, high);
}

// Everything, where the divisor may be zero.
Interval operator/(const Interval& a, const Interval& b);

Interval exp(const Interval& a);
Interval sqrt(const Interval& a);    // of what of it is not negative
Interval square(const Interval& a);  // a · a, both the same number
Interval tanh(const Interval& a);

// base^exponent. REQUIRES: base.low > 0.
Interval pow(const Interval& base, const Interval& exponent);

// The smaller, and the larger, of two numbers.
inline Interval smaller(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}
inline Interval larger(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

inline bool is_nan(const Interval&) { return false; }

// Sums of products with many terms, `size` of them side by side: the ends are added
// up as they are, and widened once by what all of that may have lost (γₙ₊₄·Σ|aᵢ·bᵢ|;
// Higham, Accuracy and Stability of Numerical Algorithms, §3.1).
template <std::size_t size>
class SumsOfProducts {
 public:
  void add(std::size_t at, const Interval& a, const Interval& b) {
    const double ll = a.low * b.low, lh = a.low * b.high, hl = a.high * b.low, hh = a.high * b.high;
    const double low = std::min(std::min(ll, lh), std::min(hl, hh));
    const double high = std::max(std::max(ll, lh), std::max(hl, hh));
    low_[at] += low;
    high_[at] += high;
    // Where an end lies at infinity, one product is infinite or no number, and so is this.
    magnitude_[at] += std::max(-low, high) + 0 * (ll + lh + hl + hh);
  }

  // Nothing where an end lies at infinity, of what was added or of the sum.
  std::optional<Interval> sum(std::size_t at, std::size_t terms) const {
    if (!std::isfinite(low_[at]) || !std::isfinite(high_[at]) || !std::isfinite(magnitude_[at])) return std::nullopt;
    const auto count = static_cast<double>(terms + 4);
    const double lost = 0x1.01p-53 * count * magnitude_[at] + count * std::numeric_limits<double>::denorm_min();
    return outward(low_[at] - lost, high_[at] + lost);
  }

 private:
  std::array<double, size> low_{}, high_{}, magnitude_{};
};

}  // namespace attn
