#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attn {

using StepId = std::string;

// Which instruction of a recipe is what in one attention: the ids of those there
// are, and of those that there could be. Whoever asks what the scores are, or
// the mask, asks here, and then the recipe whether it has it. Queries, keys, values,
// scores and context every recipe has that is computed step by step, even where
// people's mistakes changed it.
struct Anatomy {
  // From the inputs to what is compared. A projected tensor is wide: it is
  // split into heads afterwards.
  StepId query_inputs, key_inputs;
  StepId projected_queries, projected_keys, projected_values;
  StepId queries, keys, values;
  StepId past_keys, appended_keys;  // given, before and behind the keys

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

// The same in a normalization: of what, by which numbers a vector, and what comes of it.
struct NormAnatomy {
  StepId from, mean, spread;  // the spread is the variance, or the mean of the squares
  StepId normalized, result;  // the same where neither gain nor bias follows
  StepId gain, bias;          // given
};

// The same in a feed-forward network.
struct NetworkAnatomy {
  StepId from, hidden, gate, activation, output;
  StepId in_weight, out_weight, in_bias, gate_bias, out_bias;  // given
};

// The same in a residual: what goes around a sublayer, what the sublayer made of it,
// and where vectors are normalized.
struct ResidualAnatomy {
  StepId from, made, result;
  std::size_t sublayer = 0;              // of the recipe's parts
  std::optional<std::size_t> norm = {};  // the same
  bool norm_first = false;               // what the sublayer reads is normalized, else the result is
};

// What rows and columns are called.
struct Labels {
  std::vector<std::vector<std::string>> query = {}, key = {};  // a list a sequence
  std::vector<std::string> vocabulary = {};                    // of logits; may be empty
  std::vector<std::size_t> own_queries = {};  // a number a sequence, the rest is padding; empty where there is none
};

// A stretch of a computation that is told by itself: an attention, a norm.
struct RecipePart {
  std::string prefix = {};                // of the ids of its instructions: "layer1.self"; may be empty
  std::string title = {};                 // "Layer 1: self-attention"; empty where it is all there is
  std::optional<Anatomy> attention = {};  // where it is one
  std::optional<NormAnatomy> norm = {};
  std::optional<NetworkAnatomy> network = {};
  std::optional<ResidualAnatomy> residual = {};
  std::optional<Labels> labels = {};  // of its queries and keys, where they are others than the problem's
};

}  // namespace attn
