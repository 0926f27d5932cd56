#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "formula/formula.h"
#include "ops/op.h"
#include "tensor/late_tensor.h"
#include "trace/role.h"

namespace attn {

// How a step is named and written; the numbers come from its op.
struct Heading {
  std::string id = {};     // "scaled_scores", unique within a recipe
  Formula symbol = {};     // "S′"
  std::string title = {};  // "Scores divided by √d_k"
  Formula formula = {};    // "{} = {0} / √d_k"; once recorded "S′ = S / √d_k"
  Role role = Role::score;
};

// An operand: another step (or given tensor), perhaps with axes called by other
// names here: in self-attention the tokens of the inputs become keys.
struct Operand {
  using Renamed = std::vector<std::pair<Axis, Axis>>;  // from, to

  Operand(const char* of) : id(of) {}             // NOLINT(google-explicit-constructor)
  Operand(std::string of) : id(std::move(of)) {}  // NOLINT(google-explicit-constructor)
  Operand(std::string of, Renamed axes) : id(std::move(of)), renamed(std::move(axes)) {}

  std::string id;
  Renamed renamed;
};

// Cells of an operand as a step reads them: its shape under the step's names.
// REQUIRES: no axis is there twice then.
Shape shape_as_read(const Operand& operand, const Shape& shape);

// The numbers of an instruction that gives them, as points and as intervals.
struct GivenNumbers {
  explicit GivenNumbers(LateTensor<double> numbers);

  LateTensor<double> points;
  LateTensor<Interval> intervals;
};

// How given numbers follow from a few that the problem states: for those who write them
// down as a formula. Positions count from 0; sequence b has the b-th of `values`, or the only one.
struct GivenRule {
  enum class Kind {
    band,      // 1 where i + value − left ≤ j ≤ i + value + right, −1 being no limit
    length,    // 1 where j < value
    finite,    // 1 where the tensor `of` is not −∞
    distance,  // −|i + value − j|
    powers,    // 2^value, a value a cell
  };
  Kind kind = Kind::band;
  std::vector<double> values = {};
  std::int64_t left = -1, right = -1;
  std::string of = {};
  std::size_t keys = 0;  // keys behind so many are open, or 0 away
};

// One line of a computation, to be done on whatever numbers come before it.
struct Instruction {
  enum class Kind {
    given,   // a tensor of the problem that is no step: a weight matrix, a rule of the mask
    step,    // what people are shown
    hidden,  // computed and rounded as a step is, and shown to nobody
    between  // only a rewrite needs it: nobody writes it down, or rounds it
  };

  const std::string& id() const { return heading.id; }

  Heading heading;
  Op op;
  std::vector<Operand> operands = {};      // of instructions above it
  std::optional<Operand> open = {};        // the mask whose closed cells are not read
  std::optional<GivenNumbers> given = {};  // where op is Given
  Kind kind = Kind::step;
  std::size_t part = 0;                // of the recipe's parts
  std::optional<GivenRule> rule = {};  // of given numbers that follow from others
};

}  // namespace attn
