#include "mark/allowance.h"

#include <array>
#include <limits>

#include "base/numbers.h"

namespace attn {
namespace {

// Numbers with more decimals than this are taken to be exact to them.
constexpr int most_decimals = 12;

// Nobody writes so many decimals by hand: they come from a machine, and most
// machines work in single precision.
constexpr int machine_decimals = 6;
constexpr double single = 3e-7;

double unit_of(int decimals) { return unit_of_last(std::min(decimals, most_decimals)); }

// A whole unit, short of its end by more than arithmetic may lose: 4 is not cut off to 3.
double short_of(double unit, double value) { return unit - std::max(1e-10 * unit, 4e-11 * std::abs(value)); }

// The values that a person who cuts off writes as `value`.
Interval cut_off_to(double value, double unit) {
  const double most = short_of(unit, value);
  if (value > 0) return {value, value + most};
  if (value < 0) return {value - most, value};
  return {-most, most};
}

Interval around(double value, double reach) { return {value - reach, value + reach}; }

Interval honest(const HandedCell& cell, RoundingMode habit) {
  const double value = cell.number.value;
  if (!cell.number.decimals || std::isinf(value)) return value;
  const double unit = unit_of(*cell.number.decimals);
  switch (habit) {
    case RoundingMode::half_up:
    case RoundingMode::half_even:
      return around(value, std::max(unit / 2, *cell.number.decimals < machine_decimals ? 0 : single * std::abs(value)));
    case RoundingMode::truncate:
      return cut_off_to(value, unit);
    case RoundingMode::keep_sum:
      return cell.may_keep_sum ? around(value, short_of(unit, value)) : around(value, unit / 2);
  }
  return value;
}

// The same where a dtype of few digits holds what was rounded. What is cut off was stored before and is stored again:
// each time it may be moved.
Interval honest_or_held(const HandedCell& cell, RoundingMode habit) {
  const Interval written = honest(cell, habit);
  if (!cell.held) return written;
  if (habit != RoundingMode::truncate || std::isinf(*cell.held)) return hull(written, *cell.held);
  HandedCell as_held = cell;
  as_held.number.value = *cell.held;
  const Interval both = hull(written, honest(as_held, habit));
  return {both.low - cell.moved, both.high + cell.moved};
}

// The place of the first digit: 2 of 314.
int magnitude_of(double value) { return static_cast<int>(std::floor(log(std::abs(value)) / log(10.0) + 1e-12)); }

// 0 where it is too small for a double.
double power_of_ten(int exponent) {
  constexpr int most = 300;  // beyond it, 1 / power could be none
  if (exponent < -most) return power_of_ten(exponent + most) / 1e300;
  double power = 1;
  for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
  return exponent < 0 ? 1 / power : power;
}

// What is rounded to a whole number of units: from half a unit of `below` nearer to 0, where a tie goes up, to half
// a unit of its own farther away, where a tie goes to the even number, and so to an even one alone.
Interval rounded_to(double nearest, double unit, double below) {
  const bool is_even = std::fmod(std::round(nearest / unit), 2) == 0;
  const double outward = is_even ? unit / 2 : std::max(0.0, short_of(unit / 2, nearest)), inward = below / 2;
  if (nearest == 0) return around(0, outward);
  return nearest > 0 ? Interval(nearest - inward, nearest + outward) : Interval(nearest - outward, nearest + inward);
}

// The two whole numbers of units that a value is rounded to, a tie up or to the even one: mostly the same.
std::array<double, 2> nearest_units(double value, double unit) {
  constexpr double most = 1e15;  // units: then a double has no other digits
  const double units = value / unit, nearest = std::round(units);
  if (!(std::abs(units) < most)) return {value, value};
  // Of more units than a number has digits nothing but a half is a tie.
  const double slack = std::min(1e-11 * std::max(1.0, std::abs(units)), 1e-3);
  const bool is_tie = std::abs(std::abs(nearest - units) - 0.5) <= slack;
  if (!is_tie) return {nearest * unit, nearest * unit};
  const double nearer = std::trunc(units), farther = nearer + std::copysign(1, value);
  return {farther * unit, (std::fmod(nearer, 2) == 0 ? nearer : farther) * unit};
}

// Everything that is the same when both are rounded to so many decimals, ties up or to the even digit.
Interval to_decimals(double value, int digits) {
  const double unit = unit_of(digits);
  const auto [up, even] = nearest_units(value, unit);
  return hull(rounded_to(up, unit, unit), rounded_to(even, unit, unit));
}

// The same to so many significant digits.
Interval to_significant(double value, int digits) {
  if (value == 0) return {-0.5 * unit_of(digits), 0.5 * unit_of(digits)};
  const double unit_of_value = power_of_ten(magnitude_of(value) - digits + 1);
  if (unit_of_value == 0) return value;
  constexpr double most = std::numeric_limits<double>::max();
  const auto rounded_to_it = [&](double number) {
    const double nearest = std::clamp(number, -most, most);
    const double power = power_of_ten(magnitude_of(nearest));  // 9.996 is 10.0 to three digits
    const double unit = power_of_ten(magnitude_of(nearest) - digits + 1);
    // Below a power of ten digits are a tenth as wide: 9.994 is 9.99, and 10.04 is 10.0.
    const bool is_power = std::abs(std::abs(nearest) - power) < unit / 2;
    return rounded_to(nearest, unit, is_power ? unit / 10 : unit);
  };
  const auto [up, even] = nearest_units(value, unit_of_value);
  return hull(rounded_to_it(up), rounded_to_it(even));
}

// Every e with |value − e| ≤ absolute + relative · |e|. REQUIRES: relative <= 1: else they are two rays.
Interval relative_absolute(double value, double relative, double absolute) {
  const auto bound = [&](double end, bool upper) {
    const bool grows = end == 0 || (end > 0) == upper;
    const double factor = grows ? 1 - relative : 1 + relative;
    return factor > 0 ? end / factor : (upper ? infinity : -infinity);
  };
  return {bound(value - absolute, false), bound(value + absolute, true)};
}

}  // namespace

Interval stands_for(const HandedCell& cell, RoundingMode habit, const MarkingRule& rule) {
  const double value = cell.number.value;
  switch (rule.kind) {
    case MarkingRule::Kind::honest_rounding:
      return honest_or_held(cell, habit);
    case MarkingRule::Kind::decimal_digits:
      return std::isinf(value) ? Interval(value) : to_decimals(value, rule.digits);
    case MarkingRule::Kind::significant:
      return std::isinf(value) ? Interval(value) : to_significant(value, rule.digits);
    case MarkingRule::Kind::relative_absolute:
      return std::isinf(value) ? Interval(value) : relative_absolute(value, rule.relative, rule.absolute);
  }
  return value;
}

Interval rounded_unwritten(Interval value, RoundingMode habit, int decimals, bool is_weight) {
  if (decimals > most_decimals || std::isinf(value.low) || std::isinf(value.high)) return value;
  if (habit == RoundingMode::keep_sum && is_weight) {
    const double unit = unit_of(decimals);
    if (value == Interval(0)) return value;
    return {std::floor(value.low / unit - 1e-9) * unit, std::ceil(value.high / unit + 1e-9) * unit};
  }
  if (habit == RoundingMode::truncate) {
    const HandRounding cut{decimals, RoundingMode::truncate};
    return {rounded(value.low, cut), rounded(value.high, cut)};
  }
  // A tie goes up for some, to the even digit for others, and what lies next to one either way.
  const Interval near = with_slack(value);
  const HandRounding even{decimals, RoundingMode::half_even}, up{decimals, RoundingMode::half_up};
  return {std::min({rounded(value.low, even), rounded(near.low, even), rounded(value.low, up)}),
          std::max({rounded(value.high, even), rounded(near.high, even), rounded(value.high, up)})};
}

double rounded_to_nearest(double number, int decimals, Ties ties) {
  if (decimals > most_decimals || !std::isfinite(number)) return number;
  double nearest = number;
  switch (ties) {
    case Ties::up:
      return rounded(number, {decimals, RoundingMode::half_up});
    case Ties::even:
      return rounded(number, {decimals, RoundingMode::half_even});
    case Ties::as_printed:
      parse_number(fixed(number, decimals), nearest);
      return nearest;
    case Ties::as_multiplied:
      for (int i = 0; i < decimals; ++i) nearest *= 10;
      return rounded(std::nearbyint(nearest) * unit_of(decimals), {decimals, RoundingMode::half_up});
  }
  return number;
}

bool is_from_machine(const Sheet& sheet, const MarkingRule& rule) {
  return rule.kind == MarkingRule::Kind::honest_rounding && sheet.decimals >= machine_decimals;
}

void fill_in_allowances(HandedStep& step, const MarkingRule& rule) {
  for (HandedCell& cell : step.cells) {
    if (!cell.is_number()) continue;
    for (const RoundingMode habit : habits) cell.stands_as(habit) = with_slack(stands_for(cell, habit, rule));
  }
}

void fill_in_allowances(Sheet& sheet, const MarkingRule& rule) {
  for (HandedStep& step : sheet.steps) fill_in_allowances(step, rule);
}

}  // namespace attn
