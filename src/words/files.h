#pragma once

#include <cstddef>

#include "words/said.h"

namespace attn {

// What a spreadsheet and a notebook of a problem say to those who open them, and why
// one cannot be written. Names of sheets have at most 31 characters.
struct FileWords {
  // A spreadsheet.
  Said read_me, options, steps;  // sheets
  Said what_sheets_are, edit_these, or_these, and_see, formulas, closed, fixed, unwritten, rounded;
  Said option, value, meaning;
  Saying<Text> factor, divisor, summand, cap, wave_base, power_base, eps, offset, length;
  Said left, right, decimals;

  // A notebook.
  Said what_notebooks_are, given, given_told, worked_out, checked, checked_told;

  // Why a format, which it is called by, cannot be written.
  Saying<Text, Text> other_dtype;
  Saying<Text, Text> other_rounding;
  Said say_f64, say_half_up;
  Saying<Text, std::size_t, std::size_t> too_many_numbers;
  Saying<Text> too_wide, not_finite, no_library, no_library_here, left_out, every_step;
  Said smaller, finite_numbers, build_with_library, install_library, build_whole, disk;
  Said not_written;
};

}  // namespace attn
