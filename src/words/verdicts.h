#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "words/said.h"

namespace attn {

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
  Said right, not_right_yet, blank, too_few_digits;
  Saying<Text, bool> follows;
  Saying<Text, Text> step_follows;
  Said the_rest;

  // A matrix of another shape, and two matrices side by side.
  Saying<Text, Text> you_wrote;
  Saying<Text> this_step_is;
  Said as_written, as_expected;
  Saying<std::size_t> more_matrices;

  // What happened.
  Saying<Text> not_handed_in;
  Saying<const std::vector<std::string>&, std::size_t> ties;

  // Of many files.
  Said file, verdict, first_wrong, likely, wrong, incomplete, not_read, or_another;

  // What was found in them.
  Said negative_of;
  Saying<Text> times, part_of;
  Saying<Text, Text> every_number_is;
  Saying<Text, std::size_t, std::size_t, std::size_t> come_out;
  Saying<Text> never_negative;
  Saying<std::size_t, Text> row_sums_to;
  Saying<Text, Text, Text> lies_outside;
  Saying<std::size_t, Text> term_missing, term_negated;
  Said one_term, whole_number, negated;
  Saying<bool> point_moved;
  Said digits_swapped, exchanged;
  Saying<std::size_t, std::size_t> row_again;
  Saying<Text, bool> looks_as_if;
  Said some_rows, weights_rounded;
  Saying<Text> other_shape;
  Said check_shape;
  Saying<Text, bool> unexplained;
  Saying<bool> work_out_again;
  Saying<Text> read_turned, not_marked;
};

}  // namespace attn
