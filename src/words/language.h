#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "words/grades.h"
#include "words/mistakes.h"
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
  Said slopes, slope_of_head, distances, alibi_bias;
  Saying<const std::vector<std::string>&> alibi;  // the powers of two that the slopes are

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
  Said weighted_values_left_out;
  Saying<Text> weighted_values_by;
  Said at_once, at_once_in_16_bits;
  Saying<Text, Text> overflow;
  Saying<Text> undefined;
  Saying<Text> zero_vector, closed_row;
};

// What is said of widths, scores and their softmax.
struct ScalingWords {
  Said title;
  Saying<std::size_t, std::size_t, std::uint64_t> how_drawn;
  Said scores, why_variance, without, why_peaks, with;
  Saying<Text> why_divided;
  Said width, mean, mean_in_theory, variance, variance_in_theory, largest_weight, entropy, largest_derivative;
};

// How the steps of a block are called, and the parts that they stand in.
struct BlockWords {
  Said encoder, self_attention, cross_attention, feed_forward, embedding_norm, final_norm;
  Saying<std::size_t, Text> layer_part;                   // the layer, and what of it
  Saying<Text> norm_before, norm_after, residual_around;  // a sublayer

  Said memory, mean, mean_formula, variance, variance_formula, mean_square, mean_square_formula, normalized, affine,
      gain, bias, residual, hidden, gate;
  Saying<Text> activation, matrix, bias_of;
  Said network_output, logits, unembedding, unembedding_bias, largest_logit, probabilities;
};

// What is said of where heads look.
struct HeadsWords {
  Said title, how_ranked, itself, previous, next, first, no_neighbour;
  Saying<Text, Text> from_to;
  Said head, share;
  Saying<Text, std::size_t> head_of;
  Said tenths, query, keys;
};

// What is said of softmax a block of keys at a time.
struct OnlineWords {
  Said block_maximum, block_maximum_formula, running_maximum, running_maximum_formula, rescale, rescale_exponent,
      block_exponentials, exponentials_exponent, running_sum, running_sum_formula, running_context,
      running_context_formula, context, context_formula, nothing_before;
  Saying<std::size_t> softmax;
  Said idea_softmax;
  Said last, is_largest, is_sum, is_weighted;             // what must hold
  Saying<Text> no_exponentials, has_sink, needs_weights;  // why it can't be done
};

// What is said of vectors as they are drawn.
struct GeometryWords {
  Said title, arrows, points, turning, sharpening;

  // Where they are drawn.
  Saying<std::size_t, Text> principal;
  Saying<std::size_t> axis;
  Said queries_and_keys, the_values;
  Saying<Text, std::size_t> as_they_are;
  Saying<Text> on_a_line, in_space;
  Saying<Text, std::size_t, Text, bool> in_principal;

  // What is to be seen.
  Saying<Text, Text, Text> by_product;
  Saying<Text> by_cosine;
  Said by_more, no_arrows, paler;
  Saying<std::size_t, std::size_t> only_named;
  Saying<Text> within, within_zero, not_within;
  Said all_closed, way, way_of_sink;
  Saying<std::size_t> turned_so;
  Said times;

  // The same in numbers.
  Said blunt_to_sharp;
  Said length, cosine, angle, degrees, weight, key, pair, before, after, closed;

  // Why nothing is drawn.
  Said no_weights;
  Saying<std::size_t, std::size_t> too_many_keys;
  Saying<std::size_t> no_query;
  Said no_such_part;
};

// What is said around the steps: what attention does, what is given, what must
// hold, where a number comes from, what is left out.
struct TellingWords {
  // What attention does: "Each query is compared with every key; how well they match is a score. Softmax …".
  Said idea_each, idea_compared, idea_match, idea_softmax, idea_shares, idea_sum_1, idea_shares_sum_1, idea_sum_less,
      idea_added, idea_end, query, key, values, score, weights, context;

  // How much is told, and of what.
  // What ends in _by shows whoever runs the program more.
  Said only_the_result, only_the_head, every_matrix, every_row, steps_by, shared_by, rows_by, products_by, result,
      what_must_hold, notes, dot_product, more_of_these, more_rows, more_queries, more_notes, one_place_by,
      one_query_by, all_by;
  Saying<std::size_t, Text> left_out;
  // Of places by the axis that tells them apart; "" where there are several.
  Saying<Text> more_places;
  Saying<std::size_t, bool, std::size_t, Text> in_the_same_way;
  Saying<std::size_t, Text> padded;
  Said all_heads, all_queries;
  Saying<Text> one_query_told;

  // What is given.
  Said given, sequences, heads, the_score, the_mask, the_norm, numbers, shown;
  Saying<std::size_t, std::size_t> shared_heads;
  Saying<int> rounded;
  Said half_up, half_even, truncate, keep_sum, then;
  Saying<Text> here, with_c, with_eps;
  Said not_scaled;
  Saying<std::string_view> precision;  // of a dtype
  Saying<Text, int, bool, Text> arithmetic;
  Saying<int, bool, Text> approximate;

  // The mask.
  Saying<const std::vector<std::string>&> closed_by;

  // What must hold.
  Saying<std::size_t, Text> yes;
  Saying<std::size_t, std::size_t, Text> no;
  Saying<std::size_t> closed_rows_left_out;
  Said row, cell, number;
  Saying<Text, Text> sums_range;
  Saying<std::size_t> sums_not_numbers;
  Said each_row_of, sums_to_1, sums_to_1_at_most, closed_cells_of, exactly_0, stays_within, and_0, for_rounded;

  // How far numbers are from exact ones.
  Said how_exact, since_givens, by_itself, exact;
  Saying<int, Text> good_to;
  Saying<Text> at_most;
  Saying<Text, int> worst_is;
  Saying<std::size_t> not_known;

  // Where a number comes from.
  Saying<std::size_t, std::size_t> levels_shown, deeper_by;
  Said stops_at_edge;
  Saying<std::size_t> beyond_edge_by;
  Said lists_cut;
  Saying<std::size_t> sums_cut;
  Said more_terms_by;
  Saying<std::size_t, std::size_t> padding_query;
  Saying<Text> at_place, one_number_by;

  // What is wrong with a question about one.
  Said how_to_ask;
  Saying<Text> quote_not_closed, no_bracket_at_end, empty_index, names_no_step;
  Saying<Text, Text> too_much, no_such_step, symbol_of_several;
  Said give_the_id;
  Saying<Text> its_steps_are, given_are;
  Saying<Text, Text, Text, std::size_t> outside;
  Saying<Text, Text, Text, Text> several;
  Said give_the_number;
  Saying<Text, Text, Text> numbers_only;
  Saying<Text, Text> write_number;
  Saying<std::size_t> number_up_to;
  Saying<Text, Text, Text, Text> no_such_label;
  Saying<Text, Text> write_label, axes_of;
  Saying<Text, std::size_t, Text, std::size_t> other_count;
  Saying<Text> an_index_for_each;

  // What the rows and columns of a matrix are.
  Said one_number;
  Saying<Text> rows_are, columns_are;
  Saying<Text, Text> rows_and_columns_are;
  Said each_row_1, each_row_1_or_0;
  Saying<std::size_t> here_only;

  // Lines of arithmetic, and what stands behind them.
  Said no_row, not_turned, every_cell_closed, zero_divisor, closed, open, sink_number, is_given, see_above;
  Saying<std::size_t> so_many_more, other_terms, others;
  Saying<int, bool, bool> by_hand;
  Saying<Text, std::string_view> rounded_to;
  Saying<Text> axis;
  Saying<std::size_t, std::size_t> sequence_of, head_of;

  // The catalogue of mistakes.
  Said a_mistake, a_convention, a_note, known_mistakes;
  Saying<Text, Text, Text> mistake;
  Saying<Text> looks_as_if, for_example, what_to_do;
  Said what_there_is;
};

// What is said about answers that somebody handed in.
struct VerdictWords {
  // What signs before numbers mean.
  Said follows_from_yours, too_few_to_tell;

  // What is right, and how much of a step is.
  Said nothing_to_mark, nothing_wrong;
  Saying<Text, std::size_t> some_right, all_right;
  Said before;
  Saying<Text> your;
  Saying<std::size_t> none_right;
  Saying<std::size_t, std::size_t, bool> so_many;
  Saying<Text> the_number_is;
  Said not_marked_again, no_new_slip;
  Said the_number_has_too_few_digits;
  Said right, not_right_yet, blank, too_few_digits;
  Saying<Text, Text, bool> follows;
  Saying<Text, Text, Text> step_follows;
  Said the_rest;

  // A matrix of another shape, and two matrices side by side.
  Saying<Text, Text> you_wrote;
  Saying<Text> this_step_is;
  Said as_written, as_expected;
  Saying<std::size_t> more_matrices;

  // What happened.
  Saying<Text> not_handed_in;
  Saying<const std::vector<std::string>&, std::size_t> ties;

  // Where to look, and how much is left open.
  Saying<Text, Text> how_it_comes_about;
  Saying<Text, Text, Text> accepted_widely;
  Saying<Text, int> written_with;
  Said may_be_rounded;

  // Whose answers they are; and what stands above those that are yet to be written.
  Saying<Text> handed_in_by;
  Said how_to_fill_in;

  // Of many files.
  Said file, name, verdict, first_wrong, likely, wrong, incomplete, not_read, or_another;

  // What was found in them.
  Said negative_of;
  Saying<Text> times, part_of;
  Saying<Text, Text> every_number_is;
  Saying<Text, std::size_t, std::size_t, std::size_t> come_out;
  Saying<Text> never_negative;
  Saying<Text, Text> row_sums_to;
  Saying<Text, Text, Text> lies_outside;
  Saying<std::size_t, Text> term_missing, term_negated;
  Said one_term, whole_number, negated;
  Saying<bool> point_moved;
  Said digits_swapped, exchanged;
  Saying<std::size_t, std::size_t, bool> row_again;
  Saying<Text, bool> looks_as_if;
  Said some_rows, weights_rounded, other_maximum;
  Saying<Text> not_tried;
  Said rarer_mistakes, two_at_once, further_slips, roundings_not_tried;
  Saying<Text> other_shape;
  Said check_shape;
  Saying<Text, bool> unexplained;
  Saying<bool> work_out_again;
  Saying<Text> read_turned, not_marked;
  Saying<bool, bool> other_cells_closed;
  Said follows_from_these_cells, look_up_who_may_attend;
};

// What is said of mistakes that a problem cannot show.
struct LintWords {
  Said title;
  Saying<int> how_compared;
  Said nothing_found, changes_nothing;
  Saying<Text, Text, bool> invisible;
  Saying<Text> only_readings;
  Said look_alike;
  Saying<Text, bool> alike;
  Said what_helps;
  Saying<Text, Text, Text> change;
  Said and_then;
  Saying<std::size_t> left;
  Said no_change_helps;
  Saying<Text> other_sizes;
};

// What is said in a quiz.
struct QuizWords {
  Said how_to_answer;
  Saying<std::size_t> a_selection;

  // A question: which it is, of what, and how many numbers are wanted.
  Saying<std::size_t, std::size_t, Text> question;
  Saying<std::size_t, Text> numbers_wanted;
  Said one_number_wanted, worked_out_already;

  // What becomes of an answer.
  Said right, follows, wrong;
  Saying<std::size_t, std::size_t, Text> wrong_but;
  Saying<std::size_t> tries_left;
  Said no_try, too_coarse, some_blank, left_blank, no_hint_left, nothing_before, shown_before;

  // Hints, and the answer in the end.
  Said by_formula, put_in, nothing_to_put_in, answer;

  // How it went, and what to practise.
  Said how_it_went, first_try, with_help, not_right, not_asked, to_practise, nothing_to_practise, step, mistake;
  Saying<std::size_t, std::size_t> so_many;
  Saying<Text, std::size_t> made;
  Said more_like_this, another_one;
};

// What is said in questions for course systems.
struct CourseWords {
  Saying<Text, int> work_out;
  Saying<Text, int> what_is;
  Said closed_not_asked, formula;
  Saying<std::size_t> first_rows_only;
};

// How much work steps are.
struct CostWords {
  Said title, step, multiplications, additions, divisions, exponentials, comparisons, functions, read, written, all;
  Saying<Text> how_counted;
  Saying<Text, Text, int> closed_cells_save;
  Saying<Text, Text, int> next_token;

  // Attention beside other layers.
  Said layers, layer, operations, here, sequential, path, crossing, self_attention, recurrent, convolutional,
      restricted;
  Saying<Text, Text, Text, Text> of_sizes;
};

// What is said about two files side by side. A and B are their letters; of both
// what the first one has is told first.
struct DifferenceWords {
  // What is compared: a file and its dtype. When numbers count as the same.
  Saying<Text, Text> problem, trace, tensors, files;
  Said same_bits_count, less_by;
  Saying<double, Text, double> within;
  Saying<double> within_usual;
  Said other_tolerance_by;
  Saying<Text> differ_first;
  Said are_same, are_same_up_to_rounding;
  Saying<std::size_t, std::size_t, Text, bool> are_same_as_far;

  // What two problems say.
  Said what_problems_say, say_the_same, key, not_given;

  // Step by step.
  Said mean_of_heads, steps, step, verdict, how, same, close, differs, other_shape, not_all_orders;
  Saying<Text> only_in;
  Saying<Text, Text, Text, Text> sizes;
  Saying<std::size_t, std::size_t, Text> so_many;
  Saying<std::size_t, std::size_t> so_many_and_nan;
  Saying<Text> up_to;
  Saying<Text, Text> called, in, listed_only_in, unread;
  Saying<Text, std::size_t> more_unread, and_more;
  Saying<Text, Text, Text> unknown_names;

  // The first difference.
  Saying<Text> first_difference;
  Saying<Text, Text, Text, Text, Text> no_exchange_of_axes, cell;
  Saying<Text, Text, Text> step_of_one;
  Saying<std::size_t, std::size_t, Text, Text> farthest;
  Saying<Text, Text, Text> relatively_farthest;
  Saying<Text, Text> is_relatively_farthest;
  Saying<Text> share, percent, times;  // before what it is one of
  Saying<std::size_t, std::size_t, Text> differing_by_nan;
  Saying<Text> made_of_same, made_of_other;

  // How its numbers are related.
  Saying<Text, Text, Text> multiple, other_heads, other_step;
  Saying<Text, Text, Text, Text> known_multiple;
  Said log2_e, ln_2, turned_signs;

  // What explains it.
  Said only_rounding, what_explains_it;
  Saying<Text, Text, Text> unexplained, unexplained_by_tried;
  Said explained_above, not_all_tried, others_not_tried;
  Said besides;
  Saying<Text, Text> one_gets;
  Saying<Text> it_is;
  Saying<Text, Text, Text, Text> cause;
  Saying<Text> as_well, not_alone, agrees;
  Saying<Text, bool> and_so;
  Saying<Text> still_differs, and_all_behind;
  Said the_last;
};

struct FileWords;  // what files say that people open elsewhere: words/files.h
// What a worksheet says to those who fill it in.
struct WorksheetWords {
  Said title, name, date;
  Saying<Text> key_of;
  Saying<int, bool> decimals;  // and whether each step is rounded before the next one uses it
  Said half_is_there, faded;
  Saying<Text> worked_out;
  Saying<int> given_rounded;
  Said to_work_out;
};

// All that is said to people about steps, mistakes and checks, in one language. A
// second one is a second value of it: a sentence that it lacks does not compile.
struct Language {
  StepWords steps;
  TellingWords telling;
  MistakeWords mistakes;
  VerdictWords verdicts;
  DifferenceWords differences;
  CostWords costs;
  BlockWords block;
  ScalingWords scaling;
  OnlineWords online;
  HeadsWords heads;
  GeometryWords geometry;
  LintWords lint;
  GradeWords grades;
  const FileWords& files;
  QuizWords quiz;
  CourseWords courses;
  WorksheetWords worksheet;
};

// The one that people are told in: English, the only one so far.
const Language& language();

}  // namespace attn
