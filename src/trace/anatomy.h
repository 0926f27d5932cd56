#pragma once

#include <optional>
#include <string>

namespace attn {

using StepId = std::string;

// Which instruction of a recipe is what in one attention: the ids of those there
// are, and of those that there could be. Whoever asks what the scores are, or
// the mask, asks here, and then the recipe whether it has it.
struct Anatomy {
  // From the inputs to what is compared. A projected tensor is wide: it is
  // split into heads afterwards.
  StepId query_inputs;
  StepId projected_queries, projected_keys, projected_values;
  StepId queries, keys, values;

  // Scores in the order in which they are worked on.
  StepId scores, scaled, capped, mask, position_bias, bias, masked;

  // Of the rules that the mask is made of, those that others know by name.
  StepId causal_rule, lengths_rule, window_rule;

  // The softmax, and what follows.
  StepId maximum, exponentials, sums, weights;
  StepId weighted_values, context, concat, output;

  // Given matrices of the projections.
  StepId query_weight, key_weight, value_weight, output_weight;
};

// A stretch of a computation that is told by itself: an attention, a norm.
struct RecipePart {
  std::string prefix = {};                // of the ids of its instructions: "layer1.self"; may be empty
  std::string title = {};                 // "Layer 1: self-attention"; empty where it is all there is
  std::optional<Anatomy> attention = {};  // where it is one
};

}  // namespace attn
