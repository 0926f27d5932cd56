#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trace/recipe.h"

namespace attn {

// How much work something is, as the operations are defined (ops/op.h): a sum starts from 0, so
// that n terms are n additions; a subtraction is an addition; e^x, and any other power, is an
// exponential; a function is a tanh, sine, cosine or root. Only shapes and masks count: a quotient
// that is 0 because its divisor is counts as divided. Counts are whole numbers, exact up to 2^53.
struct Cost {
  double multiplications = 0, additions = 0, divisions = 0, exponentials = 0, comparisons = 0, functions = 0;
  double bytes_read = 0, bytes_written = 0;  // each operand, mask and result once, in numbers of the dtype

  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const;

  // All but the bytes.
  double operations() const { return multiplications + additions + divisions + exponentials + comparisons + functions; }
  bool operator==(const Cost&) const = default;
};

// The work of one step.
struct StepCost {
  std::size_t line = 0;  // of the recipe
  Cost cost;             // what closed cells leave
  Cost all_open;         // the same without a mask
};

// Of every line that computes something, in order; regrouping is reading and writing alone. Masks
// are worked out, and what they are made of; no other number is. REQUIRES: it fits.
std::vector<StepCost> costs_of(const Recipe& recipe);

// What one more token takes in self-attention: its own rows of every step, and of what is made of
// keys and values alone all rows, or its own where those of the others are in a cache.
struct NextToken {
  Cost without_cache, with_cache;
};

// Of self-attention, and of layers of it that are all causal; nothing of others.
std::optional<NextToken> next_token(const Recipe& recipe, const std::vector<StepCost>& steps);

// One way to let n tokens of width d know of each other: table 1 of Vaswani et al. (2017).
struct LayerCost {
  enum class Kind { self_attention, recurrent, convolutional, restricted };
  Kind kind = Kind::self_attention;
  double operations = 0;                          // n²·d, n·d², k·n·d², r·n·d
  double sequential = 1;                          // operations one after another: 1, n, 1, 1
  double path = 1;                                // the longest between two tokens: 1, n, log_k(n), n/r; rounded up
  std::optional<double> crossing = std::nullopt;  // the n up to which self-attention takes no more: d, k·d, r
};

// REQUIRES: none is 0; kernel > 1.
std::vector<LayerCost> layer_costs(double tokens, double width, double kernel, double neighbours);

}  // namespace attn
