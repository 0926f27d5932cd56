#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mark/lint.h"
#include "trace/recipe.h"

namespace attn {

// One number of a problem, and another in its place.
struct Change {
  std::string given;     // id of the tensor
  std::size_t cell = 0;  // row-major
  double from = 0, to = 0;
};

// The same with that number. REQUIRES: the recipe has the tensor and the cell.
Recipe with_change(const Recipe& recipe, const Change& change);

// What could be changed in a problem so that it shows more.
struct Advice {
  std::vector<Change> changes;  // together; empty where no few numbers help
  Lint left;                    // what is found even so

  // Sizes that are the same, or one the square of another, each in a line: "n = d_k = 3".
  // Empty where nothing that is left comes of sizes.
  std::vector<std::string> sizes;
};

// As few and as small changes as do away with the most findings. Looks at single numbers
// of the inputs and weights first, nearest first; in a large problem at some of them.
// REQUIRES: `found` is what the linter says of the recipe.
Advice advice_on(const Linter& linter, const Recipe& recipe, const Likeness& likeness, const Lint& found);

}  // namespace attn
