#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/rounding.h"
#include "mark/allowance.h"
#include "mark/sheet.h"
#include "trace/evaluate.h"

namespace attn {

// How a person may have worked: what they do to numbers that they did not hand
// in, how they write those that they did, and which of the two they carry on.
struct Manner {
  std::optional<RoundingMode> unwritten = {};
  RoundingMode writing = RoundingMode::half_up;
  bool carries_written = true;

  // Weighted values are added up in full, whatever is done to the rest.
  bool sums_in_full = false;

  // The inner lines of softmax are carried on as written; they are one step to most.
  bool inner_as_written = false;
};

// A number put in the place of what the recipe makes: a slip of the pen.
struct Patch {
  std::size_t line = 0;
  std::size_t cell = 0;
  double value = 0;
};

// What came of following a recipe on a person's own numbers: what each line makes
// of the numbers before it, what is carried on, and how that compares.
template <class Number>
struct Followed : Evaluation<Number> {
  // The first step of the sheet, from this one on, with a cell that does not
  // match; how many there are if all match.
  std::size_t mismatch_from(std::size_t step) const {
    while (step < matched.size() && std::ranges::find(matched[step], false) == matched[step].end()) ++step;
    return step;
  }
  bool all_match() const { return mismatch_from(0) == matched.size(); }

  // By step of the sheet: for each cell whether what was written could stand
  // for what was computed. True for cells that are blank or not asked.
  std::vector<std::vector<bool>> matched;
};

struct FollowOptions {
  Manner manner = {};
  std::span<const Patch> patches = {};

  // Lines at which the number as computed is carried on, whatever the manner is;
  // empty for none.
  std::vector<bool> exact = {};

  // places_on_sheet(), where somebody knows them already.
  const std::vector<std::optional<std::size_t>>* places = nullptr;

  // Stops at a cell that does not match in one of the first so many steps of the
  // sheet. What is taken over from the original is not looked at.
  std::size_t must_match = 0;

  // What the carried number is where a written one does not match: the written
  // one, or (false) what would have been right.
  bool trust_mismatches = true;
};

// What came of following the recipe that this one was rewritten from, on the same
// sheet and in the same manner, to the end: what is the same there is taken over.
struct FollowedOriginal {
  const Followed<double>& followed;
  const std::vector<std::optional<std::size_t>>& same;  // same_lines()
};

// Follows the recipe on points, as a person of that manner.
// REQUIRES: patches name lines of this recipe and cells of their shapes; the
// sheet's allowances are filled in.
Followed<double> follow(const Recipe& recipe, const Sheet& sheet, const MarkingRule& rule, const FollowOptions& options,
                        const FollowedOriginal* original = nullptr);

// Follows it on everything that honest rounding by one habit allows.
Followed<Interval> enclose(const Recipe& recipe, const Sheet& sheet, const MarkingRule& rule, Habit habit,
                           bool trust_mismatches);

// Whether every cell matches.
inline bool all_true(const std::vector<bool>& matched) { return std::ranges::find(matched, false) == matched.end(); }

// Whether a person writes this line down and might round it.
bool is_rounded(const Instruction& instruction);

// Which step of the sheet each line of the recipe makes.
std::vector<std::optional<std::size_t>> places_on_sheet(const Recipe& recipe, const Sheet& sheet);

// Steps of the sheet that the rewritten computation does not have at all match nowhere.
void mismatch_missing(const Sheet& sheet, std::vector<std::vector<bool>>& matched);

}  // namespace attn
