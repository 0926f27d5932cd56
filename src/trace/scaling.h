#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace attn {

// What the width of queries and keys does to their scores, and to the softmax of
// these: the reason for ÷√d_k (Vaswani et al. 2017, section 3.2.1, footnote 4).

// Of all scores together.
struct ScoreSpread {
  double mean = 0, variance = 0;
};

// Of the rows of a softmax, on average.
struct SoftmaxPeak {
  double largest_weight = 0;
  double entropy = 0;             // −Σ a·ln a, in nats: ln n where all weigh the same
  double largest_derivative = 0;  // of a weight by a score: the largest a·(1 − a), at most ¼
};

struct ScalingOfWidth {
  std::size_t width = 1;
  ScoreSpread drawn;           // of unit normal queries and keys
  SoftmaxPeak plain, divided;  // without ÷√d_k, and with it

  // Sums of d products of independent numbers of mean 0 and variance 1.
  ScoreSpread theory() const { return {0, static_cast<double>(width)}; }
};

struct ScalingReport {
  std::size_t queries = 0, keys = 0;
  std::uint64_t seed = 0;
  std::vector<ScalingOfWidth> widths;
};

// The variance is that of a sample: over one number fewer. REQUIRES: two scores or more.
ScoreSpread spread_of(const Tensor<double>& scores);

// REQUIRES: attention weights, keys last.
SoftmaxPeak peak_of(const Tensor<double>& weights);

}  // namespace attn
