#include "model/anatomy.h"

namespace attn {

Anatomy attention_anatomy(const std::string& prefix, const Inputs& inputs) {
  const auto id = [&](const char* name) { return prefix.empty() ? std::string(name) : prefix + "." + name; };
  return {.query_inputs = id(inputs.cross() ? "inputs.query" : "inputs"),
          .projected_queries = id("projected_queries"),
          .projected_keys = id("projected_keys"),
          .projected_values = id("projected_values"),
          .queries = id("queries"),
          .keys = id("keys"),
          .values = id("values"),
          .scores = id("scores"),
          .scaled = id("scaled_scores"),
          .capped = id("capped_scores"),
          .mask = id("mask"),
          .bias = id("score_bias"),
          .masked = id("masked_scores"),
          .causal_rule = id("mask.causal"),
          .lengths_rule = id("mask.lengths"),
          .maximum = id("row_maximum"),
          .exponentials = id("exponentials"),
          .sums = id("exponential_sums"),
          .weights = id("attention_weights"),
          .weighted_values = id("weighted_values"),
          .context = id("context"),
          .concat = id("concat"),
          .output = id("output"),
          .query_weight = id("weights.query"),
          .key_weight = id("weights.key"),
          .value_weight = id("weights.value"),
          .output_weight = id("weights.output")};
}

}  // namespace attn
