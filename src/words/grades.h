#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "words/said.h"

namespace attn {

// What is said of grades: to a teacher, and to the person whose hand-in it is.
struct GradeWords {
  // Headings, of columns too.
  Said title, step, right, follows, coarse, wrong, blank, missing, deducted, points, of, percent, name, verdict, likely,
      mistake, hand_ins, who, what, share;

  // How a grade comes about.
  Saying<Text, Text> points_of;
  Said follow, not_handed_in, other_shape;
  Saying<Text, Text> sum;
  Saying<Text, Text> rounded_sum;
  Saying<Text, Text, Text> deduction;
  Saying<Text> only_taken;
  Said no_known_mistake, what_was_found;
  Saying<Text, Text> undecided;
  Said not_graded_yet;

  // Of a class.
  Saying<std::size_t, const std::vector<std::string>&> of_class;
  Said all_right, with_faults, incomplete, unreadable, no_problem, nothing;
  Saying<Text, Text> mean_and_median;
  Said different_points;
  Said one_a_step;
  Saying<Text> points_are;
  Said in_proportion, all_or_nothing, following, not_following, coarse_right, coarse_wrong, coarse_ask;
  Saying<Text> deductions_are, rounds_to;
  Said everybody, distribution, mistakes, no_mistakes, cells, how_cells, to_look_at;
  Saying<std::size_t, std::size_t> from_to;
  Saying<Text, std::size_t, std::size_t> wrong_in;
  Said whole;

  // What a teacher is to know of a hand-in.
  Said absent, of_other_shape, mostly_wrong, write_more, problem_not_named;
  Saying<Text, Text> decide;
  Saying<std::size_t> coarse_counted;
  Saying<Text> not_in_roster, is_it, also_handed_in, says_other_name, of_anothers_problem, other_problem,
      no_problem_of_name, problem_not_read, part_not_read, called_like_other, numbers_of;
};

}  // namespace attn
