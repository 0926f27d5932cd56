#pragma once

#include <cstddef>
#include <limits>

#include "trace/trace.h"

namespace attn {

// What a check found: how many it looked at, and how many held.
struct Tally {
  std::size_t looked_at = 0;
  std::size_t held = 0;
  std::size_t closed_rows = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  bool holds() const { return held == looked_at; }
};

// REQUIRES of all: the step is a part of a softmax.

// Whether each row sums to 1; with a sink, to no more than 1.
Tally sums_to_one(const Trace& trace, const Step& weights, bool or_less);

Tally closed_are_zero(const Trace& trace, const Step& weights);

// Whether every context lies between the least and the largest open value of its
// column; `or_nearer` to 0, where a sink takes a part.
Tally within_values(const Trace& trace, const Step& weights, const Tensor<double>& values,
                    const Tensor<double>& context, bool or_nearer);

}  // namespace attn
