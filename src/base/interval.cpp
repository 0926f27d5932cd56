#include "base/interval.h"

#include <array>

namespace attn {
Interval operator/(const Interval& a, const Interval& b) {
  if (a == Interval(0) && !b.contains(0)) return 0;
  if (b.low <= 0 && b.high >= 0) return {-infinity, infinity};
  if (a.is_point() && b.is_point()) {
    const double quotient = a.low / b.low, back = quotient * b.low;
    const double left = (a.low - back) - lost_in_product(quotient, b.low, back);
    if (std::isfinite(quotient)) return with_lost(quotient, b.low < 0 ? -left : left);
  }
  const std::array quotients = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  if (std::ranges::any_of(quotients, [](double q) { return std::isnan(q); })) return {-infinity, infinity};
  const auto [low, high] = std::ranges::minmax(quotients);
  return outward(low, high);
}

Interval exp(const Interval& a) {
  if (a == Interval(0)) return 1;
  if (a == Interval(-infinity)) return 0;
  return {std::max(0.0, next_below(exp(a.low))), next_above(exp(a.high))};
}

Interval sqrt(const Interval& a) {
  if (a == Interval(0)) return 0;
  const auto root = [](double x) { return std::sqrt(std::max(0.0, x)); };
  if (const double own = root(a.low); a.is_point() && a.low > 0) {
    return with_lost(own, (a.low - own * own) - lost_in_product(own, own, own * own));
  }
  return {std::max(0.0, next_below(root(a.low))), next_above(root(a.high))};
}

Interval square(const Interval& a) {
  if (a == Interval(0)) return 0;
  if (a.is_point()) return a * a;
  const double most = std::max(std::abs(a.low), std::abs(a.high));
  const double least = a.contains(0) ? 0 : std::min(std::abs(a.low), std::abs(a.high));
  return {std::max(0.0, next_below(least * least)), next_above(most * most)};
}

Interval tanh(const Interval& a) {
  if (a == Interval(0)) return 0;
  return {std::max(-1.0, next_below(tanh(a.low))), std::min(1.0, next_above(tanh(a.high)))};
}

// Both ways the power is monotone, so that its ends are at corners.
Interval pow(const Interval& base, const Interval& exponent) {
  if (base == Interval(1) || exponent == Interval(0)) return 1;
  const std::array corners = {pow(base.low, exponent.low), pow(base.low, exponent.high), pow(base.high, exponent.low),
                              pow(base.high, exponent.high)};
  const auto [low, high] = std::ranges::minmax(corners);
  return {std::max(0.0, next_below(low)), next_above(high)};
}

}  // namespace attn
