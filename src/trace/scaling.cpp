#include "trace/scaling.h"

#include <algorithm>
#include <numeric>

#include "base/math.h"

namespace attn {

ScoreSpread spread_of(const Tensor<double>& scores) {
  const auto all = scores.data();
  const auto count = static_cast<double>(all.size());
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / count;
  double squares = 0;
  for (const double score : all) squares += (score - mean) * (score - mean);
  return {mean, squares / (count - 1)};
}

SoftmaxPeak peak_of(const Tensor<double>& weights) {
  const std::size_t keys = weights.shape().back().size;
  SoftmaxPeak all;
  for (std::size_t first = 0; first < weights.size(); first += keys) {
    double largest = 0, entropy = 0, steepest = 0;
    for (const double weight : weights.data().subspan(first, keys)) {
      largest = std::max(largest, weight);
      steepest = std::max(steepest, weight * (1 - weight));
      if (weight > 0) entropy -= weight * log(weight);
    }
    all.largest_weight += largest;
    all.entropy += entropy;
    all.largest_derivative += steepest;
  }
  const auto rows = static_cast<double>(weights.size() / keys);
  return {all.largest_weight / rows, all.entropy / rows, all.largest_derivative / rows};
}

}  // namespace attn
