#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "trace/evaluate.h"

namespace attn {

// Softmax of a row of scores, each known to an interval: the smallest intervals
// that hold every weight. aᵢ = 1 / Σⱼ e^(sⱼ − sᵢ) falls in every other score
// and rises in its own, so its ends are at opposite ends of the scores.
// A closed score is −∞ and has the weight 0.
std::vector<Interval> softmax_of(const std::vector<Interval>& scores);

// eᵢ / Σⱼ eⱼ, where the numerator is a part of the denominator; 0 in a row of zeros.
// REQUIRES: no number below zero; what is lower counts as zero.
std::vector<Interval> share_of_sum(const std::vector<Interval>& exponentials);

// Everything that a line can make of numbers that lie in `carried`. Where a
// number enters twice, as a score does in softmax, both are known to be the
// same; `computed` tells whether what stands between is worked out or written.
Tensor<Interval> enclosed(const Recipe& recipe, std::size_t line, const Values<Interval>& computed,
                          const Values<Interval>& carried);

// The same in exact arithmetic, whatever the dtype rounds.
Tensor<Interval> enclosed_exactly(const Recipe& recipe, std::size_t line, const Values<Interval>& computed,
                                  const Values<Interval>& carried);

// The same where all that it reads is known exactly, much faster; nothing where not all is.
std::optional<Tensor<Interval>> made_of_points(const Recipe& recipe, std::size_t line, const Values<Interval>& carried);

// Widens what a line made by what a program in single precision may have lost
// there: γ₃₂ of the sum of the absolute values that it adds up, or of the number
// itself (Higham, Accuracy and Stability of Numerical Algorithms, §3.1).
void widen_to_single(const Recipe& recipe, std::size_t line, const Values<Interval>& carried, Tensor<Interval>& made);

}  // namespace attn
