#pragma once

#include <string>

#include "tensor/tensor.h"

namespace attn {

// How far two numbers may be apart and still count as the same: by default not
// at all. NaN is the same as NaN.
struct Tolerance {
  double absolute = 0;
  double relative = 0;

  bool accepts(double expected, double got) const;
};

// How far apart two numbers are: NaN against a number, infinitely.
double distance(double a, double b);

// Whether each number of the second is accepted for the factor times that of the
// first. REQUIRES: as many of each.
bool all_accepted(const Tensor<double>& first, const Tensor<double>& second, const Tolerance& tolerance,
                  double factor = 1);

// Programs that have no −∞, or fear it, add this or less: −1e4, −65504, −1e9, −3.4e38.
constexpr double practically_minus_infinity = -1e4;

// The same where it was added to a score: −1e4 and a score above zero is more than −1e4.
constexpr double practically_minus_infinity_beside_a_score = practically_minus_infinity / 2;

// When numbers count as the same: apart by no more than `absolute`, or than
// `relative` of the first side's number, or than `typical` of the largest number
// in a row of its step, as it is in half of the rows.
struct Closeness {
  double absolute = 0;
  double relative = 0;
  double typical = 0;

  bool wants_same_bits() const { return absolute == 0 && relative == 0 && typical == 0; }
};

// What rounding in the coarser of the two dtypes leaves apart, whatever the
// order in which sums were taken.
Closeness usual_closeness(const std::string& dtype, const std::string& other);

// The same for the numbers of one step.
Tolerance tolerance_of(const Tensor<double>& step, const Closeness& closeness);

}  // namespace attn
