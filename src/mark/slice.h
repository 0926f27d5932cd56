#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mark/follow.h"
#include "mark/sheet.h"
#include "trace/recipe.h"

namespace attn {

// A few rows of a step alone, with what they follow from: where a problem is large,
// what does not explain these need not be worked out whole.
struct StepSlice {
  Recipe recipe;
  std::shared_ptr<const Sheet> sheet;  // up to the step; of steps of which only rows are needed, those
  SheetPlaces places;
  std::vector<std::size_t> rows;  // which of them these were, in order

  // Where a number of the recipe that was cut stands in what is left; nothing where it was cut off.
  std::optional<Patch> moved(const Recipe& whole, const Patch& patch) const;

  // REQUIRES: the slice and the rule outlive it.
  Task task(const MarkingRule& rule) const { return {recipe, *sheet, rule, places}; }
};

// Cuts the same rows of a step out of recipes that all make it.
class Slicer {
 public:
  // A few of the rows in which a cell is not matched. REQUIRES: the sheet outlives the slicer.
  Slicer(const Sheet& sheet, std::size_t step, const Shape& shape, const std::vector<bool>& matched);

  // Nothing where the recipe does not make the step row by row, or where what was
  // handed in before it has another shape than it makes.
  std::optional<StepSlice> of(const Recipe& recipe);

 private:
  using Part = std::optional<Axis>;  // a step whose rows along this axis are needed; all of it

  std::shared_ptr<const Sheet> sheet_of(const Recipe& recipe, const std::vector<bool>& wanted,
                                        const std::vector<Part>& rows);

  const Sheet& sheet_;
  const std::size_t step_;
  Part axis_;
  std::vector<std::size_t> rows_;
  std::map<std::vector<std::optional<Part>>, std::shared_ptr<const Sheet>> sheets_;  // by what is needed of each step
};

// How many products and other numbers it takes to work a recipe out.
std::size_t work_of(const Recipe& recipe);

// Whether a recipe makes so many numbers that slices save anything.
bool is_worth_slicing(const Recipe& recipe);

}  // namespace attn
