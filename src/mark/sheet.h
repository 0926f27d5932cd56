#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/rounding.h"
#include "mark/answers.h"
#include "trace/recipe.h"
#include "trace/trace.h"

namespace attn {

// One cell of a step that was handed in.
struct HandedCell {
  enum class Kind { not_asked, blank, number };
  Kind kind = Kind::not_asked;
  WrittenNumber number = {};
  std::optional<double> held = {};  // what a dtype of few digits makes of the number, where the problem has one
  double moved = 0;                 // then as far at most from what it was made of
  bool may_keep_sum = false;        // weights whose row adds up to exactly 1 as written, or could with its blanks
  bool may_have_factor = false;     // an exponential that e^(score − c) may stand for, whatever c its row has

  // What the number stands for, a little widened: one interval a habit of rounding.
  // REQUIRES: a habit (habit_of() of allowance.h).
  std::array<Interval, 4> stands = {};
  const Interval& stands_as(RoundingMode habit) const { return stands[static_cast<std::size_t>(habit)]; }
  Interval& stands_as(RoundingMode habit) { return stands[static_cast<std::size_t>(habit)]; }

  bool is_number() const { return kind == Kind::number; }
};

// A step that was handed in, in the shape of the problem's own.
struct HandedStep {
  // What it is in its attention, where people have freedoms with it, or it has laws to keep.
  enum class What { other, mask, masked, exponentials, exponential_sums, weights, context };

  std::string id;
  What what = What::other;
  std::vector<std::size_t> shape;
  std::vector<HandedCell> cells;  // row-major
  std::size_t asked = 0;          // how many cells are no padding
  int decimals = 0;               // the most written in it; where there are none, in all of the sheet
  bool fits = true;               // false where the shape is not the problem's: then both are as written
  bool is_whole = false;          // handed in as a whole, without a blank
  bool keeps_whole_sum = false;   // the problem rounds rows of weights to whole numbers that sum to 1

  // How many numbers were written.
  std::size_t numbers() const { return static_cast<std::size_t>(std::ranges::count_if(cells, &HandedCell::is_number)); }
};

// A hand-in laid out against a problem: the steps in the order of the computation.
struct Sheet {
  std::vector<HandedStep> steps;

  // The decimals that the person works with: the most written outside expressions,
  // or, where there are none, in them, or else those that are asked for.
  int decimals = 0;

  // Whether a number stands there as an expression, "e/(e+1)": whoever writes so works exactly.
  bool has_expressions = false;

  // The most in expressions: they may be the person's, too.
  int decimals_within = 0;

  const HandedStep* find(std::string_view id) const;
};

// The step as somebody meant it who writes vectors as columns: its last two axes
// exchanged. Nothing where it has no two such axes, or has another shape even so.
std::optional<HandedStep> turned(const HandedStep& step, const Recipe& right);

// The step that is subtracted in the exponentials of that id, or in those that the step of that id adds up.
StepId subtracted_in(std::string_view id, const Recipe& recipe);

// Which cells of a step are padding, in a batch of sequences of different lengths: nobody's homework.
class PaddingOf {
 public:
  // `part` is the step's, of the recipe's. REQUIRES: the shape outlives it.
  PaddingOf(const Trace& trace, std::string_view id, std::size_t part, const Shape& shape);

  bool has(std::size_t cell) const;

 private:
  const Shape& shape_;
  std::optional<std::size_t> batch_;           // which of its axes that is; without one nothing is padding
  std::vector<std::vector<std::size_t>> own_;  // places along an axis that are none, a number a sequence
};

// Lays the answers out. `right` gains what they name and the problem has not
// (scaled scores where nothing is scaled: the scores themselves), so that they
// can be marked; what cannot be given a meaning is left out and its id added to `unknown`.
// Cells of padded queries are not asked. Where the problem rounds every step, and so does
// all that was handed in, more decimals than the problem's are zeros that tell nothing, or what a dtype of few digits
// makes of the number.
Sheet laid_out(const Answers& answers, const Trace& trace, std::optional<HandRounding> problem_rounding, Recipe& right,
               std::vector<std::string>& unknown);

}  // namespace attn
