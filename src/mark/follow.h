#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/rounding.h"
#include "mark/allowance.h"
#include "mark/sheet.h"
#include "trace/replay.h"

namespace attn {

// A recipe ready to be followed, perhaps a rewrite of another.
class Course {
 public:
  // `original`, where not null, is what the recipe was rewritten from: what the
  // rewrite leaves as it was need not be worked out again. Without one, it is
  // its own original.
  explicit Course(const Recipe& recipe, const Course* original = nullptr);

  const Replay& replay() const { return replay_; }

  // The line of the original that does the same; nothing where the rewrite touched it.
  std::optional<std::size_t> same_as(std::size_t line) const { return same_as_[line]; }

  // The given numbers of a line, in either kind of number. REQUIRES: replay().is_given(line).
  const Tensor<double>* given(std::size_t line, double) const { return replay_.instruction(line).given.get(); }
  const Tensor<Interval>* given(std::size_t line, Interval) const { return given_intervals_[line].get(); }

 private:
  Replay replay_;
  std::vector<std::optional<std::size_t>> same_as_;
  std::vector<std::shared_ptr<const Tensor<Interval>>> given_intervals_;
};

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

Habit habit_of(RoundingMode mode);

// A number put in the place of what the recipe makes: a slip of the pen.
struct Patch {
  std::size_t line = 0;
  std::size_t cell = 0;
  double value = 0;
};

// What came of following a recipe on a person's own numbers.
template <class Number>
struct Followed {
  // The first step of the sheet, from this one on, with a cell that does not
  // match; how many there are if all match.
  std::size_t mismatch_from(std::size_t step) const {
    while (step < matched.size() && std::ranges::find(matched[step], false) == matched[step].end()) ++step;
    return step;
  }
  bool all_match() const { return mismatch_from(0) == matched.size(); }

  // By line: what it makes of the numbers before it, and what is carried on.
  std::vector<const Tensor<Number>*> computed, carried;

  // By step of the sheet: for each cell whether what was written could stand
  // for what was computed. True for cells that are blank or not asked.
  std::vector<std::vector<bool>> matched;

  bool stopped = false;  // early, because of `must_match`

  std::deque<Tensor<Number>> kept;

  Followed() = default;
  Followed(Followed&&) noexcept = default;
  Followed& operator=(Followed&&) noexcept = default;
};

struct FollowOptions {
  Manner manner = {};
  std::span<const Patch> patches = {};

  // Lines (a bit each, the first 64) at which the number as computed is carried
  // on, whatever the manner is.
  std::uint64_t exact_lines = 0;

  // Stops at a cell that does not match in one of the first so many steps of the
  // sheet. What is taken over from the original is not looked at.
  std::size_t must_match = 0;

  // What the carried number is where a written one does not match: the written
  // one, or (false) what would have been right.
  bool trust_mismatches = true;
};

// Follows the course on points, as a person of that manner.
//
// `original`, where not null, is what came of following the course's original on
// the same sheet, in the same manner, to the end; what is the same there is
// taken over, so it must outlive the result.
// REQUIRES: patches name lines of this course and cells of their shapes; the
// sheet's allowances are filled in.
Followed<double> follow(const Course& course, const Sheet& sheet, const MarkingRule& rule, const FollowOptions& options,
                        const Followed<double>* original = nullptr);

// Follows it on everything that honest rounding by one habit allows.
Followed<Interval> enclose(const Course& course, const Sheet& sheet, const MarkingRule& rule, Habit habit,
                           bool trust_mismatches);

}  // namespace attn
