#pragma once

#include "words/said.h"

namespace attn {

// What people are told of one mistake.
struct OneMistake {
  Said what;     // "the scores were not divided by √d_k", for a sentence: "It looks as if …"
  Said hint;     // what to do about it, a sentence: "Divide every score by √d_k."
  Said example;  // one line of numbers or symbols: "softmax(Q·Kᵀ) for softmax(Q·Kᵀ / √d_k)"
};

// Of every family its title, and of every mistake what is said.
struct MistakeWords {
  Said projection, scores, score, scale, softcap, mask, window, softmax, sink, sum, heads, slip, rounding, layout;
  Said positions, rope, cache, alibi;
  // Which reading of a mistake, where there are several.
  Said of_all_values, of_open_values, all_inputs, without_positions, as_turned, not_added, value_itself, weighted_value,
      by_own_width, by_head_width, with_biases, without_biases, by_input_width, powers_of_scores, powers_of_differences,
      differences_by_maximum, scores_by_maximum, powers_by_largest, empty_rows_zero, empty_rows_equal, causal_mask,
      padding, all_of_it, only_closing, no_maximum, key_i, first_sees_first, last_sees_last, one_where_closed,
      one_where_open;
  Said written_before_turning, written_after_turning, rope_neighbours, rope_halves, positions_after_past,
      positions_from_zero, bias_has_other_sign, bias_subtracted;
  Saying<std::size_t> slopes_of_heads;
  Said by_no_norm, not_by_query_norm, not_by_key_norm, each_for_the_other, keys_for_queries, queries_for_keys,
      masked_scores_capped, capped_scores_masked, one_more_before, one_fewer_before, one_more_behind, one_fewer_behind,
      one_more_on_both_sides, one_fewer_on_both_sides, sink_not_searched, sink_only_not_summed, to_all_open_keys,
      to_largest_weight, to_first_key, heads_in_turn, heads_by_count, only_keys, only_values;
  OneMistake projection_transposed, projection_swapped_query_key, projection_swapped_key_value,
      projection_swapped_query_value, projection_skipped, projection_bias_forgotten, projection_bias_added_twice;
  OneMistake positions_left_out, positions_added_twice, positions_queries_only, positions_counted_from_one,
      positions_values_too;
  OneMistake rope_pairs, rope_direction, rope_keys_not_turned, rope_dims;
  OneMistake cache_left_out, cache_behind;
  OneMistake scores_transposed, scores_untransposed_key, scores_query_query, scores_key_key, scores_query_value;
  OneMistake score_cosine_not_normed, score_tanh_left_out, score_key_for_query;
  OneMistake scale_none, scale_by_dk, scale_multiplied, scale_by_dmodel, scale_by_n, scale_by_dv, scale_twice,
      scale_after_softmax, scale_added;
  OneMistake alibi_sign, alibi_slopes;
  OneMistake softcap_left_out, softcap_after_mask;
  OneMistake mask_forgotten, mask_inverted, mask_transposed, mask_diagonal_too, mask_zero_for_minus_infinity,
      mask_after_softmax, mask_rows_for_columns, mask_added_as_number, mask_wrong_corner;
  OneMistake window_off_by_one;
  OneMistake softmax_columns, softmax_whole_matrix, softmax_linear, softmax_not_normalised, softmax_none,
      softmax_hard_max, softmax_base_2, softmax_base_10, softmax_base_3, softmax_base_e, softmax_negated, softmax_twice,
      softmax_by_maximum, softmax_maximum_not_subtracted;
  OneMistake sink_left_out, sink_kept;
  OneMistake sum_transposed_weights, sum_key_for_value, sum_query_for_value, sum_input_for_value, sum_top_only,
      sum_mean_of_values, sum_not_summed;
  OneMistake heads_output_projection_forgotten, heads_output_projection_transposed, heads_scale_by_dmodel,
      heads_one_big_head, heads_no_transpose, heads_interleaved, heads_merged_without_transpose, heads_summed,
      heads_averaged, heads_tiled_groups, heads_reversed;
  OneMistake slip_term_dropped, slip_sign, slip_cells_swapped, slip_row_copied, slip_digits_swapped, slip_decimal_point;
  OneMistake rounding_early, rounding_truncated, rounding_scores_rounded;
  OneMistake layout_transposed_answer;
  Said norm, block, network, cross, decoder;  // families
  Said gain_and_bias, only_gain, only_bias, both_biases, only_in_bias, only_out_bias, only_gate_bias,
      activation_of_hidden, hidden_as_it_is, keys_and_values, from_here_on;
  OneMistake norm_eps_outside, norm_variance_n_minus_1, norm_mean_kept, norm_gain_left_out, norm_over_tokens;
  OneMistake block_residual_left_out, block_norm_before, block_norm_after, block_norm_left_out, block_weights_shared;
  OneMistake ffn_activation_left_out, ffn_relu_for_gelu, ffn_gate_left_out, ffn_bias_left_out, ffn_transposed;
  OneMistake cross_keys_from_decoder, cross_values_from_decoder, cross_queries_from_encoder, decoder_mask_forgotten;

  // What programs do otherwise than a problem says, as of a mistake, and in which way.
  Said closed_rows, same_for_every_key, folded_log2, softcap_order;

  // How they write a step.
  Said one_where_cell_closed, zero_where_open, ones_exchanged;
  Saying<const std::string&> for_minus_infinity;
  Saying<const std::string&> the_same_for_every;
};

}  // namespace attn
