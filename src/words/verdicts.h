#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "words/said.h"

namespace attn {

// What is said about answers that somebody handed in.
struct VerdictWords {
  // What the signs before numbers mean.
  Said sign_wrong, sign_follows, sign_unsure, sign_blank;

  // What is right, and how much of a step is.
  Said nothing_to_mark, nothing_wrong;
  Saying<const std::string&, std::size_t> some_right, all_right;
  Said before;
  Saying<const std::string&> your;
  Saying<std::size_t> none_right;
  Saying<std::size_t, std::size_t, bool> so_many;
  Said right, not_right_yet, blank, too_few_digits;
  Saying<const std::string&, bool> follows;
  Saying<const std::string&, const std::string&> step_follows;
  Said the_rest;

  // A matrix of another shape, and two matrices side by side.
  Saying<const std::string&, const std::string&> you_wrote;
  Saying<const std::string&> this_step_is;
  Said as_written, as_expected;
  Saying<std::size_t> more_matrices;

  // What happened.
  Saying<const std::string&> not_handed_in;
  Saying<const std::vector<std::string>&, std::size_t> ties;

  // Of many files.
  Said file, verdict, first_wrong, likely, wrong, incomplete, not_read, or_another;

  // What was found in them.
  Said negative_of;
  Saying<const std::string&> times, part_of;
  Saying<const std::string&, const std::string&> every_number_is;
  Saying<const std::string&, std::size_t, std::size_t, std::size_t> come_out;
  Saying<const std::string&> never_negative;
  Saying<std::size_t, const std::string&> row_sums_to;
  Saying<const std::string&, const std::string&, const std::string&> lies_outside;
  Saying<std::size_t, const std::string&> term_missing, term_negated;
  Said one_term, whole_number, negated;
  Saying<bool> point_moved;
  Said digits_swapped, exchanged;
  Saying<std::size_t, std::size_t> row_again;
  Saying<const std::string&, bool> looks_as_if;
  Said some_rows, weights_rounded;
  Saying<const std::string&> other_shape;
  Said check_shape;
  Saying<const std::string&, bool> unexplained;
  Saying<bool> work_out_again;
  Saying<const std::string&> read_turned, not_marked;
};

}  // namespace attn
