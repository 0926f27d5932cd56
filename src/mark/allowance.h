#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "base/interval.h"
#include "base/rounding.h"
#include "mark/check.h"
#include "mark/sheet.h"

namespace attn {

// The ways of rounding that may explain a hand-in; one must explain all of it.
// Rounding half up and half to even are told apart by no written number alone.
inline constexpr std::array habits = {RoundingMode::half_up, RoundingMode::truncate, RoundingMode::keep_sum};
constexpr RoundingMode habit_of(RoundingMode mode) {
  return mode == RoundingMode::half_even ? RoundingMode::half_up : mode;
}

// How somebody rounds who writes so many decimals: nobody writes more than twelve.
inline HandRounding writing_with(int decimals, RoundingMode mode) { return {std::min(decimals, 12), mode}; }

// What a written number stands for: every value that would be written so. With
// N decimals that is half a unit of the last place to either side; where the
// person cuts off, from the number to one unit farther from zero; where they
// keep the sum of a row of weights at 1, one unit to either side. An exact
// number stands for itself.
//
// A rule of the teacher's own takes the place of all this.
Interval stands_for(const HandedCell& cell, RoundingMode habit, const MarkingRule& rule);

// Works `stands` out for every cell of the step, or of the sheet.
void fill_in_allowances(HandedStep& step, const MarkingRule& rule);
void fill_in_allowances(Sheet& sheet, const MarkingRule& rule);

// What somebody carries on who rounds a number known to lie in `value` to so many
// decimals, and does not hand it in. A tie may go either way.
Interval rounded_unwritten(Interval value, RoundingMode habit, int decimals, bool is_weight);

// Where ties go for one who rounds to the nearest: people round them up, or to the
// even digit; programs print the nearest to the double that they have, or to a
// multiple of it.
enum class Ties { up, even, as_printed, as_multiplied };
inline constexpr std::array all_ties = {Ties::up, Ties::even, Ties::as_printed, Ties::as_multiplied};
double rounded_to_nearest(double number, int decimals, Ties ties);

// Whether so many decimals were handed in as nobody writes by hand: they come
// from a machine, and most machines work in single precision.
bool is_from_machine(const Sheet& sheet, const MarkingRule& rule);

// Widened by what floating-point arithmetic and long sums may have lost.
inline Interval with_slack(const Interval& value) {
  const auto slack = [](double x) { return 1e-11 * std::max(1e-3, std::abs(x)); };
  if (std::isinf(value.low) || std::isinf(value.high)) return value;
  return {value.low - slack(value.low), value.high + slack(value.high)};
}

inline bool meet(const Interval& a, const Interval& b) { return a.low <= b.high && b.low <= a.high; }

}  // namespace attn
