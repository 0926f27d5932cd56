#pragma once

#include <cstddef>
#include <vector>

#include "base/interval.h"
#include "tensor/dtype.h"
#include "trace/evaluate.h"

namespace attn {

// How far the numbers of a line can be from exact ones, cell by cell: 0 where they are
// exact, ∞ where nothing is known, as of what is no number.
struct Bounds {
  Tensor<double> own;    // from what exact arithmetic makes of the numbers that the line reads
  Tensor<double> since;  // from what it makes of the numbers that the problem gives

  bool operator==(const Bounds&) const = default;
};

// What exact arithmetic makes of the numbers that are given.
// REQUIRES: it fits.
Evaluation<Interval> worked_out_exactly(const Recipe& recipe);

// By line, of the numbers that every line has made, whatever it was computed in and however
// it was rounded: by intervals, so that no rounding is left out. REQUIRES: it fits; no line
// is without numbers.
std::vector<Bounds> bounds_of(const Recipe& recipe, const Values<double>& computed);

// How far a number can be from one of the interval; ∞ from where nothing is known.
double farthest(const Interval& exact, double computed);

// To how many significant digits a number is good that is so far off at most: that is half
// a unit of the last of them, or less. REQUIRES: 0 < bound.
int good_digits(double number, double bound);

// What there is to say of some cells.
struct Goodness {
  double absolute = 0;  // the largest bound of a finite number
  int digits = most;    // that the worst of them is good to; those that are exact count for nothing
  std::size_t worst = 0;
  bool is_exact = true;     // every finite number
  std::size_t unknown = 0;  // how many cells nothing is known of

  static constexpr int most = 17;

  void add(std::size_t cell, double number, double bound);
};

// Of all numbers of a step, by bounds of its shape.
Goodness goodness_of(const Tensor<double>& numbers, const Tensor<double>& bounds);

}  // namespace attn
