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
  Saying<std::size_t, const std::string&, const std::string&> left_out;
  Saying<std::size_t, const std::string&> padded;
  Said all_heads, all_queries;
  Saying<const std::string&> one_query_told;

  // What is given.
  Said given, sequences, heads, the_score, the_mask, numbers, shown;
  Saying<std::size_t, std::size_t> shared_heads;
  Saying<int> rounded;
  Said half_up, half_even, truncate, keep_sum, then;
  Saying<const std::string&> here, with_c;
  Said not_scaled;
  Saying<std::string_view, int, bool, const std::string&> arithmetic;
  Saying<int, bool, std::string_view> approximate;

  // The mask.
  Saying<const std::vector<std::string>&> closed_by;

  // What must hold.
  Saying<std::size_t, const std::string&> yes;
  Saying<std::size_t, std::size_t, const std::string&> no;
  Saying<std::size_t> closed_rows_left_out;
  Said row, cell, number;
  Saying<const std::string&, const std::string&> sums_range;
  Said each_row_of, sums_to_1, sums_to_1_at_most, closed_cells_of, exactly_0, stays_within, and_0, for_rounded;

  // Where a number comes from.
  Saying<std::size_t, std::size_t> levels_shown;
  Said sums_cut;
  Saying<std::size_t, std::size_t> padding_query;
  Saying<const std::string&> at_place, ask_for_one;

  // What the rows and columns of a matrix are.
  Said one_number;
  Saying<const std::string&> rows_are, columns_are;
  Saying<const std::string&, const std::string&> rows_and_columns_are;
  Said each_row_1, each_row_1_or_0;
  Saying<std::size_t> here_only;

  // Lines of arithmetic, and what stands behind them.
  Said no_row, not_turned, every_cell_closed, zero_divisor, closed, open, sink_number, see_above;
  Saying<int, bool, bool> by_hand;
  Saying<const std::string&, std::string_view> rounded_to;
  Saying<const std::string&> axis;
  Saying<bool, std::size_t, std::size_t> place;

  // The catalogue of mistakes.
  Said a_mistake, a_convention, a_note, known_mistakes;
  Saying<const std::string&, const std::string&, const std::string&> mistake;
  Saying<const std::string&> looks_as_if, for_example, what_to_do;
  Said what_there_is;
};

}  // namespace attn
