#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attn {

// A number as somebody wrote it.
struct WrittenNumber {
  double value = 0;

  // How many decimals were written; nothing where the number is exact: an
  // expression ("2/3", "sqrt(3)"), an infinity.
  std::optional<int> decimals = {};

  std::string text = {};  // as it was written: "0.50", "2/3", "-∞"
};

// What a person handed in for one step.
struct AnsweredStep {
  // A blank is nothing.
  using Cell = std::optional<WrittenNumber>;

  // One number, or blank, at a place of the step, indices from 0.
  struct Placed {
    std::vector<std::size_t> index;
    Cell number;
  };

  std::string id;

  // A whole step: its lists' sizes, outermost first, and as many cells,
  // row-major. A null that stands for a list stands for blanks all through it;
  // where nothing but nulls was written, the shape ends at them.
  std::vector<std::size_t> shape = {};
  std::vector<Cell> cells = {};

  // Whether matrices of all heads and sequences stand one under the other, as a
  // table of rows has to have them: then the shape is rows, columns.
  bool stacked = false;

  // Or single cells.
  bool by_cell = false;
  std::vector<Placed> placed = {};
};

// What a person wrote for some of the steps of a problem, each step once, in
// the order of the file.
struct Answers {
  std::vector<AnsweredStep> steps;
  std::string name = {};     // whose they are, where they say so
  std::string problem = {};  // the statement of the problem that they are of, where they say so
};

}  // namespace attn
