#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// How points are given for a hand-in: what a teacher decides, and the program keeps to.
struct Scheme {
  enum class Per { cell, step };               // in proportion to the right numbers of a step; or all or nothing
  enum class TooCoarse { right, wrong, ask };  // of numbers with too few digits to tell; ask: no points until decided

  struct StepPoints {
    std::string step;  // id
    double points = 1;
  };
  struct Deduction {
    std::string mistake;  // an id, or a pattern of ids: "rounding.*"
    double points = 0;
  };

  // Of the steps that are asked for. Where there are none, every step that somebody hands
  // in has 1 point.
  std::vector<StepPoints> points = {};

  Per per = Per::cell;
  bool follow_through = true;  // what follows from earlier numbers of one's own is as good as right
  std::vector<Deduction> deduct = {};
  TooCoarse too_coarse = TooCoarse::right;

  // The sum of all points is rounded to a multiple of that, once, to the nearest; what
  // lies in the middle is rounded up.
  double round_to = 0.01;
};

// The deduction for a mistake: that of its id, else of the longest pattern that it is
// like; null where none is.
const Scheme::Deduction* deduction_for(std::string_view mistake, const Scheme& scheme);

}  // namespace attn
