#pragma once

#include <cstddef>
#include <string>

#include "words/said.h"

namespace attn {

// What is said about two files side by side. A and B are their letters; of both
// what the first one has is told first.
struct DifferenceWords {
  // What is compared: a file and its dtype. When numbers count as the same.
  Saying<Text, Text> problem, trace, tensors, files;
  Said same_bits_count;
  Saying<double, Text, double> within;
  Saying<double> within_usual;
  Saying<Text> differ_first;
  Said are_same, are_same_up_to_rounding;

  // What two problems say.
  Said what_problems_say, say_the_same, key, not_given;

  // Step by step.
  Said steps, step, verdict, how, same, close, differs, other_shape;
  Saying<Text> only_in;
  Saying<Text, Text, Text, Text> sizes;
  Saying<std::size_t, std::size_t, Text> so_many;
  Saying<Text> up_to;
  Saying<Text, Text> called, in, listed_only_in;
  Saying<Text, Text, Text> unknown_names;

  // The first difference.
  Saying<Text> first_difference;
  Saying<Text, Text, Text, Text, Text> no_exchange_of_axes, cell;
  Saying<Text, Text, Text> step_of_one;
  Saying<std::size_t, std::size_t, Text, Text> farthest;
  Saying<Text, Text, Text> relatively_farthest;
  Saying<Text, Text> is_relatively_farthest;
  Saying<Text> made_of_same, made_of_other;

  // How its numbers are related.
  Saying<Text, Text, Text> multiple, other_heads, other_step;
  Saying<Text, Text, Text, Text> known_multiple;
  Said log2_e, ln_2, turned_signs;

  // What explains it.
  Said only_rounding, what_explains_it;
  Saying<Text, Text, Text> unexplained;
  Said besides;
  Saying<Text, Text> one_gets;
  Saying<Text> it_is;
  Saying<Text, Text, Text, Text> cause;
  Saying<Text> as_well, not_alone, agrees;
  Saying<Text, bool> and_so;
  Saying<Text> still_differs, and_all_behind;
  Said the_last;
};

}  // namespace attn
