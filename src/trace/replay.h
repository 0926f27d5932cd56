#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "ops/run.h"
#include "trace/recipe.h"

namespace attn {

// A recipe made ready to be run many times on many numbers: its shapes and the
// places of all cells are worked out once.
class Replay {
 public:
  explicit Replay(const Recipe& recipe);

  std::size_t size() const { return lines_.size(); }
  const Instruction& instruction(std::size_t line) const { return lines_[line].instruction; }
  const Shape& shape(std::size_t line) const { return lines_[line].shape; }
  const std::vector<std::size_t>& operands(std::size_t line) const { return lines_[line].operands; }
  std::optional<std::size_t> open(std::size_t line) const { return lines_[line].open; }

  // The line of that id.
  std::optional<std::size_t> line(std::string_view id) const;

  // Whether each line rounds what it makes to a dtype of few digits.
  bool rounds_once_a_line() const { return rounds_once_a_step(dtype_); }

  bool is_given(std::size_t line) const { return lines_[line].instruction.given != nullptr; }

  // What the lines have made so far, a tensor a line; null where none is needed.
  template <class Number>
  using Made = std::vector<const Tensor<Number>*>;

  // The terms that the line adds up for one of its cells, in order: the products
  // of a contraction and what is added to them, the numbers of a sum; none where it
  // adds nothing up, or does something else to the sum.
  // REQUIRES: as for run.
  std::vector<double> terms(std::size_t line, std::size_t cell, const Made<double>& made) const;

  // What the line makes of what the lines above it have made. Points are rounded
  // where lines are; intervals hold the rounded numbers and the exact ones.
  // REQUIRES: !is_given(line); made[i] for all that it reads.
  template <class Number>
  Tensor<Number> run(std::size_t line, const Made<Number>& made) const;

 private:
  struct Line {
    Instruction instruction;
    Shape shape;
    std::vector<std::size_t> operands;
    std::vector<Shape> read;  // the operands' shapes under the line's axis names
    std::optional<std::size_t> open;
    Shape open_read;
    std::optional<Walk> walk;
  };

  std::vector<Line> lines_;
  Dtype dtype_;
};

}  // namespace attn
