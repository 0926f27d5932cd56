#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "words/said.h"

namespace attn {

// What is said around the steps: what attention does, what is given, what must
// hold, where a number comes from, what is left out.
struct TellingWords {
  // What attention does: "Each query is compared with every key; how well they match is a score. Softmax …".
  Said idea_each, idea_compared, idea_match, idea_softmax, idea_shares, idea_sum_1, idea_shares_sum_1, idea_sum_less,
      idea_added, idea_end, query, key, values, score, weights, context;

  // How much is told, and of what.
  Said only_the_result, every_matrix, every_row, result, what_must_hold, notes, dot_product, more_of_these, more_rows,
      more_queries, more_places, one_place, one_query;
  Saying<std::size_t, Text, Text> left_out;
  Saying<std::size_t, Text> padded;
  Said all_heads, all_queries;
  Saying<Text> one_query_told;

  // What is given.
  Said given, sequences, heads, the_score, the_mask, numbers, shown;
  Saying<std::size_t, std::size_t> shared_heads;
  Saying<int> rounded;
  Said half_up, half_even, truncate, keep_sum, then;
  Saying<Text> here, with_c;
  Said not_scaled;
  Saying<std::string_view, int, bool, Text> arithmetic;
  Saying<int, bool, std::string_view> approximate;

  // The mask.
  Saying<const std::vector<std::string>&> closed_by;

  // What must hold.
  Saying<std::size_t, Text> yes;
  Saying<std::size_t, std::size_t, Text> no;
  Saying<std::size_t> closed_rows_left_out;
  Said row, cell, number;
  Saying<Text, Text> sums_range;
  Said each_row_of, sums_to_1, sums_to_1_at_most, closed_cells_of, exactly_0, stays_within, and_0, for_rounded;

  // Where a number comes from.
  Saying<std::size_t, std::size_t> levels_shown;
  Said sums_cut;
  Saying<std::size_t, std::size_t> padding_query;
  Saying<Text> at_place, ask_for_one;

  // What is wrong with a question about one.
  Said how_to_ask;
  Saying<Text> quote_not_closed, no_bracket_at_end, empty_index, names_no_step;
  Saying<Text, Text> too_much, no_such_step;
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
  Saying<std::size_t> so_many_more;
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

}  // namespace attn
