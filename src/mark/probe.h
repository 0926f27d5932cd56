#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mark/follow.h"
#include "mark/slice.h"

namespace attn {

// In a large problem, a few rows of a step in which something is wrong. What cannot
// explain these explains no more: to find that out takes a small part of the work.
// Where there is nothing to be told from rows, everything may be.
class Probe {
 public:
  // REQUIRES: all outlive the probe, and so does every recipe and manner that it is asked about.
  Probe(const Recipe& right, const Sheet& sheet, const MarkingRule& rule, std::size_t step,
        const std::vector<bool>& matched)
      : right_(right), rule_(rule), step_(sheet.steps[step].id), slicer_(sheet, step, right.shape(step_), matched) {}

  // Whether half of the numbers come near to what the recipe makes of the rows; nothing
  // where that is not to be told from rows. Worked out once for each recipe.
  // REQUIRES: the same manner and habit each time.
  std::optional<bool> come_near(const Recipe& recipe, const Manner& exact, RoundingMode habit);

  // Whether all of them match it, in that manner; or some row does.
  bool may_follow(const Recipe& recipe, const Manner& manner, bool some_row);

  // Whether all of them match the right recipe with these numbers in it, in that manner,
  // and so does all before them that the numbers change.
  bool may_follow(std::span<const Patch> slip, const Manner& manner);

  // Whether all of them lie in what honest rounding leaves, each number by itself.
  bool may_be_honest(const Task& task, RoundingMode habit);

 private:
  struct Rows {
    StepSlice slice;
    std::vector<std::optional<std::size_t>> same;  // same_lines() as the right recipe's
  };
  const std::optional<Rows>& rows_of(const Recipe& recipe);
  std::optional<bool> compare(const Recipe& recipe, const Manner& exact, RoundingMode habit);
  const Followed<double>& base(const Rows& right, const Manner& manner);
  std::optional<Followed<double>> follow_rows(const Recipe& recipe, const Manner& manner);

  const Recipe& right_;
  const MarkingRule& rule_;
  const std::string step_;
  Slicer slicer_;
  std::map<const Recipe*, std::optional<Rows>> rows_;
  std::map<const Recipe*, std::optional<bool>> near_;
  std::map<std::pair<const Recipe*, const Manner*>, std::vector<bool>> matched_;
  std::map<const Manner*, Followed<double>> bases_;
  std::map<RoundingMode, Followed<Interval>> honest_;
};

// Whether so many of the numbers that are asked for, half of them, lie near to what the
// operation made: no manner of rounding brings the others nearer from afar.
bool come_near(const HandedStep& handed, const Op& op, const Tensor<double>& made, RoundingMode habit,
               const std::function<bool(std::size_t)>& is_asked);

}  // namespace attn
