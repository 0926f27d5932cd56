#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "words/said.h"

namespace attn {

// How steps and given tensors are called, those of their formulas that have words
// in them, and what is said about how they were computed. In formulas "{}" is the
// step's own symbol, "{0}" that of its first operand.
struct StepWords {
  // Inputs, and what they are projected to. Parts are "query", "key", "value"; vectors "queries", "keys", "values".
  Saying<Text> inputs, with_positions;
  Said fewer_encodings;
  Saying<std::size_t> first_vectors;
  Said split_inputs, columns_of_head_h, given;
  Saying<Text> weights_for, bias_for, vectors, wide;
  Said columns_of_each_head;
  Saying<Text> past, appended;
  Saying<Text, bool, bool> all_vectors;
  Saying<Text, std::size_t> repeated;
  Saying<std::size_t> repeated_formula;

  // Positions.
  Said distance_scores, relative_scores, relative_values, relative_context, relative, t5_bias, of_bucket;
  Saying<std::int64_t, bool, double> t5;
  Said relative_keys, relative_queries;
  Saying<Text> all_heads_wide;
  Said key_distance_scores, query_distance_scores, content_to_position, position_to_content, deberta, learned_encoding,
      rows_for_positions, learned, sinusoidal_encoding;
  Saying<Text> alternating_waves;
  Saying<double> sinusoidal;
  Saying<Text> rotation_cosines, rotation_sines;
  Said rotated_keys, rotated_queries, turned;
  Saying<double, bool, std::size_t> rope;
  Said slopes, slope_of_head, distances, alibi_bias, alibi;

  // Scores.
  Said general_queries, general_scores, dot_scores, pairs, hidden_of_pairs, hidden_tanh, hidden_scores,
      additive_queries, additive_keys, hidden_sums, each_pair;
  Saying<Text> length_of_each, root_of_squares;
  Said cosine_scores;
  Saying<Text> and_positions;
  Said times_scale, scale_formula;
  Saying<Text, std::size_t> scaled;
  Said capped;

  // Masks: the title of a rule begins with its name.
  Said masked, masked_formula, masked_and_added, masked_and_added_formula, mask, mask_formula, score_bias, causal;
  Saying<Text> open_where;
  Said window, open_everywhere;
  Saying<bool> position;
  Said lengths, within_length, mask_allow, mask_allow_formula, mask_block, mask_block_formula, mask_add,
      mask_add_formula, mask_bias, mask_bias_formula;

  // Softmax, context and output.
  Said row_maximum, row_maximum_with_sink, row_sum, row_sum_with_sink, row_maximum_formula,
      row_maximum_with_sink_formula, exponentials, powers, row_sum_formula, row_sum_with_sink_formula, softmax_weights,
      shares, shares_formula, linear, sink;
  Saying<double> base;
  Said weighted_values, context, at_once_formula, concat, concat_formula, output_weights, output_bias, output;

  // What the problem asks for that no step says by itself, and notes.
  Said positions, softmax, offset, window_name;
  Saying<const std::vector<std::int64_t>&> offsets;
  Saying<std::int64_t, std::int64_t> sees;
  Said weighted_values_left_out, at_once;
  Saying<Text, Text> overflow;
  Saying<Text> zero_vector, closed_row;
};

}  // namespace attn
