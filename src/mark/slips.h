#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "mark/follow.h"

namespace attn {

// A slip of the pen in one place of a computation, and what it puts there.
struct Slip {
  std::string mistake;  // "slip.sign"
  std::string variant;  // "one term", "the whole number"
  std::vector<Patch> patches;
  std::string evidence;  // the term, the digits: from the person's own numbers
};

// The rows of a tensor, the last two axes of which are matrices: a row is what one token has, a column where vectors
// are columns.
class TokenRows {
 public:
  explicit TokenRows(const Shape& shape);

  std::size_t rows() const { return rows_; }    // of one matrix
  std::size_t width() const { return width_; }  // of a row
  bool are_columns() const { return are_columns_; }
  std::size_t cell(std::size_t matrix, std::size_t row, std::size_t i) const {
    return matrix * rows_ * width_ + (are_columns_ ? i * rows_ + row : row * width_ + i);
  }

 private:
  std::size_t rows_ = 1, width_ = 1;
  bool are_columns_ = false;
};

// The line in which slips are looked for.
struct SlipPlace {
  const Recipe& recipe;
  std::size_t line;
  const Evaluation<double>& made;  // the numbers that it read, and what it should have made of them
  HandRounding rounding;           // how the person writes numbers
  std::size_t least_cells = 1;     // slips that change fewer are of no use

  // Whether a slip in this cell alone is of use; null: in every one. Of slips in
  // several cells of a large matrix one has to be of use.
  std::function<bool(std::size_t cell)> is_of_use = nullptr;
};

// Calls visit with every slip that the catalogue knows that a person can have
// made in a line, the most common first, until it returns true; so returns true
// where one was found.
bool any_slip(const SlipPlace& place, const std::function<bool(const Slip&)>& visit);

}  // namespace attn
