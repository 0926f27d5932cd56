#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/random.h"
#include "base/rounding.h"
#include "mark/allowance.h"
#include "mark/sheet.h"
#include "trace/evaluate.h"

namespace attn {

class SomePeople;

// How a person may have worked: what they do to numbers that they did not hand
// in, how they write those that they did, and which of the two they carry on.
struct Manner {
  std::optional<RoundingMode> unwritten = {};
  RoundingMode writing = RoundingMode::half_up;
  bool carries_written = true;

  // Weighted values are added up in full, whatever is done to the rest.
  bool sums_in_full = false;

  // The inner lines of softmax are steps of their own: carried on as written, and
  // rounded where they are not. They are one step to most.
  bool inner_as_written = false;
};

// What people do to numbers, the most usual first.
std::vector<Manner> manners(const MarkingRule& rule);

// A number put in the place of what the recipe makes: a slip of the pen.
struct Patch {
  std::size_t line = 0;
  std::size_t cell = 0;
  double value = 0;

  bool operator==(const Patch&) const = default;
};

// Which step of the sheet each line of a recipe makes, and whether one follows from it.
struct SheetPlaces {
  std::vector<std::optional<std::size_t>> step;
  std::vector<bool> is_above;  // a step of the sheet, or it

  const std::optional<std::size_t>& operator[](std::size_t line) const { return step[line]; }
};
SheetPlaces places_on_sheet(const Recipe& recipe, const Sheet& sheet);

// A line of which fewer decimals are carried on than the person writes elsewhere.
struct EarlyRounding {
  std::size_t line = 0;
  int decimals = 0;
};

// A recipe to be followed on what somebody handed in.
// REQUIRES: the sheet's allowances are filled in; all outlive it.
struct Task {
  const Recipe& recipe;
  const Sheet& sheet;
  const MarkingRule& rule;
  const SheetPlaces& places;  // of this recipe on this sheet
  std::optional<EarlyRounding> early = {};
  bool is_guess = false;      // of what the person rounded beside the numbers handed in: no doubt speaks for it
  bool loses_digits = false;  // then a number as computed may be far from the exact one, and both are right
};

// A mark a cell, by step of the sheet.
using Flags = std::vector<std::vector<bool>>;

// Whether every cell matches.
inline bool all_true(const std::vector<bool>& matched) { return std::ranges::find(matched, false) == matched.end(); }

// How many cells do not: of a step, of all.
inline std::size_t count_mismatches(const std::vector<bool>& matched) {
  return static_cast<std::size_t>(std::ranges::count(matched, false));
}
inline std::size_t count_mismatches(const Flags& matched) {
  std::size_t count = 0;
  for (const std::vector<bool>& cells : matched) count += count_mismatches(cells);
  return count;
}

// The first step of the sheet, from this one on, with a cell that does not match;
// how many there are if all match.
inline std::size_t first_mismatch(const Flags& matched, std::size_t from = 0) {
  while (from < matched.size() && all_true(matched[from])) ++from;
  return from;
}

// What came of following a recipe on a person's own numbers: what each line makes
// of the numbers before it, what is carried on, and how that compares.
template <class Number>
struct Followed : Evaluation<Number> {
  std::size_t mismatch_from(std::size_t step) const { return first_mismatch(matched, step); }
  bool all_match() const { return mismatch_from(0) == matched.size(); }

  // For each cell whether what was written could stand for what was computed.
  // True for cells that are blank or not asked.
  Flags matched;
};

struct FollowOptions {
  Manner manner = {};

  // Whether a line is rounded that is not handed in, which of their numbers they carry on, and to which side a number
  // is off by what a computer may lose are then drawn by lot.
  Random* lots = nullptr;

  // Of lines of this recipe, in cells of their shapes.
  std::span<const Patch> patches = {};

  // Stops at a cell that does not match in one of the first so many steps of the
  // sheet. What is taken over from the original is not looked at.
  std::size_t must_match = 0;

  // What the carried number is where a written one does not match: the written
  // one, or (false) what would have been right.
  bool trust_mismatches = true;

  // What came of following the recipe that this one was rewritten from, on the same
  // sheet and in the same manner, to the end, and same_lines() of the two: what is the
  // same there is taken over.
  const Followed<double>* original = nullptr;
  const std::vector<std::optional<std::size_t>>* same = nullptr;

  // What came of the same recipe otherwise, without patches: a line that reads the very
  // same numbers there is not worked out again.
  const Evaluation<double>* known = nullptr;
};

// Follows the recipe on points, as a person of that manner.
Followed<double> follow(const Task& task, const FollowOptions& options);

struct EncloseOptions {
  RoundingMode habit = RoundingMode::half_up;
  bool trust_mismatches = true;  // as in FollowOptions

  // Of lines that were not handed in, which are rounded; null: all of them may
  // be, each number by itself.
  const std::vector<bool>* rounded = nullptr;

  // Then also where ties go, and (out) whether there were any.
  Ties ties = Ties::up;
  bool* met_tie = nullptr;

  // What came of it with these choices but that of the line `changed`, mismatches trusted, to the end,
  // and same_lines() of the recipe with itself: what is the same there is taken over.
  const Followed<Interval>* original = nullptr;
  const std::vector<std::optional<std::size_t>>* same = nullptr;
  std::size_t changed = 0;

  // As in FollowOptions: of the same recipe, with other choices.
  const Evaluation<Interval>* known = nullptr;

  std::size_t must_match = 0;  // as in FollowOptions

  // Who was asked where intervals tell little (mark/some_people.h), kept for the same task and habit; null: for this
  // once.
  std::shared_ptr<const SomePeople>* people = nullptr;

  // Only few of them are, and intervals lose only what is far from what these get. Not where a mistake is followed that
  // takes one of several numbers, by a hair: few take the same.
  bool asks_few = false;
};

// Follows it on everything that honest rounding allows.
Followed<Interval> enclose(const Task& task, const EncloseOptions& options);

// Whether that explains the first so many steps of the sheet.
inline bool may_explain(const Task& task, RoundingMode habit, std::size_t steps, bool asks_few = false) {
  return enclose(task, {.habit = habit, .must_match = steps, .asks_few = asks_few}).mismatch_from(0) >= steps;
}

// Whether the line is an inner one of softmax.
bool is_inner(const Instruction& instruction);

// Whether the line makes the sines or cosines of a rotation.
bool is_looked_up(const Instruction& instruction);

// Whether the numbers of a row that the line makes should add up to 1, so that some keep their sum: weights, and
// the probabilities behind logits.
bool makes_weights(const Instruction& instruction);

// Whether a person writes this line of the task's recipe down, and might round it in that mode.
bool is_rounded_by_people(const Task& task, std::size_t line, RoundingMode mode);

}  // namespace attn
