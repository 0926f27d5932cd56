#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/walk.h"
#include "tensor/dtype.h"
#include "trace/anatomy.h"
#include "trace/instruction.h"

namespace attn {

// What follows for an instruction from the shapes of what it reads. The same for
// the same instruction wherever it reads the same shapes.
struct LaidOut {
  Shape shape;              // of what it makes
  std::vector<Shape> read;  // of its operands, under its own axis names
  Shape open_read;          // of its mask, where it has one
  Walk walk;                // over all of these
};

// A computation before it is done: what problems ask for, what mistakes and
// conventions rewrite, what an evaluator (evaluate.h) works out.
//
// Instructions stand in the order in which they can be done. Recipes share their
// instructions: a rewrite copies the ones that it changes, and no other.
class Recipe {
 public:
  explicit Recipe(Vectors vectors = Vectors::rows, Dtype dtype = Dtype::f64) : vectors_(vectors), dtype_(dtype) {}

  std::size_t size() const { return lines_.size(); }
  const Instruction& instruction(std::size_t line) const { return *lines_[line].instruction; }
  const std::shared_ptr<const Instruction>& shared(std::size_t line) const { return lines_[line].instruction; }

  // The lines of what an instruction reads.
  const std::vector<std::size_t>& operands(std::size_t line) const { return lines_[line].operands; }
  std::optional<std::size_t> open(std::size_t line) const { return lines_[line].open; }

  const std::vector<RecipePart>& parts() const { return parts_; }
  std::vector<RecipePart>& parts() { return parts_; }
  Vectors vectors() const { return vectors_; }
  Dtype dtype() const { return dtype_; }

  // The line, or instruction, of that id; nothing where there is none.
  std::optional<std::size_t> line(std::string_view id) const;
  const Instruction* find(std::string_view id) const;
  bool has(std::string_view id) const { return line(id).has_value(); }

  // Ids of the steps that people are shown, in order.
  std::vector<StepId> steps() const;

  // Whether every instruction can read its operands: a rewrite may have made
  // numbers of another shape than those below expect.
  bool fits() const { return fitting_ == lines_.size(); }

  // REQUIRES: the lines up to this one fit.
  const LaidOut& layout(std::size_t line) const { return *lines_[line].layout; }
  const Shape& shape(std::size_t line) const { return layout(line).shape; }

  // The shape of what is made under that id; nothing where that, or what stands
  // above it, reads operands that do not fit. REQUIRES: has(id).
  std::optional<Shape> fitting_shape(std::string_view id) const;

  // The same. REQUIRES: it fits.
  const Shape& shape(std::string_view id) const;

  // Bytes of all the numbers that it makes. Saturates. REQUIRES: fits().
  std::size_t bytes() const;

  // Whether this line does what the other recipe's line does, operands aside.
  bool is_same(std::size_t line, const Recipe& other, std::size_t of_other) const {
    return lines_[line].instruction == other.lines_[of_other].instruction &&
           lines_[line].layout == other.lines_[of_other].layout;
  }

  // The numbers that a given tensor or step has. REQUIRES: has(id), and its op is Given.
  const Tensor<double>& given(std::string_view id) const;

  // Puts it last of all. Throws std::logic_error where the id is not new, or an operand does not stand above it.
  void append(Instruction made);

  // Puts what the problem gives and is no step before all else, as it stands in every recipe that is written down; the
  // order is otherwise the same. REQUIRES: it fits.
  void put_givens_first();

  // Puts another computation in the place of the instruction `id`. Whoever reads
  // `id` now reads its result. REQUIRES: has(id). Throws std::logic_error where an
  // operand does not stand above it.
  void replace(std::string_view id, Op op, std::vector<Operand> operands, std::optional<Operand> open = std::nullopt);

  // Puts a new instruction just before `id`, and into its part. REQUIRES: has(id).
  // Throws as append() does.
  void insert_before(std::string_view id, Instruction made);

  // Puts it just after `id`, and lets everyone below who read `id` read it.
  // REQUIRES: has(id); the same axes. Throws as above.
  void interpose_after(std::string_view id, Instruction made);

  // Adds given numbers above all instructions. Throws as above.
  void give(std::string id, Tensor<double> value);

  // Drops the lines that are not wanted. REQUIRES: it fits; whoever wants a line
  // wants those that it reads.
  void keep(const std::vector<bool>& wanted);

  // Lets `reader` read `to` wherever it read `from`, under the same axis names.
  // REQUIRES: has(reader). Throws std::logic_error where `to` does not stand above it.
  void redirect(std::string_view reader, std::string_view from, std::string_view to);

 private:
  struct Line {
    std::shared_ptr<const Instruction> instruction;
    std::shared_ptr<const LaidOut> layout = {};
    std::vector<std::size_t> operands = {};
    std::optional<std::size_t> open = {};
  };

  void insert(std::size_t place, Instruction instruction);
  void index(std::size_t place);
  void index_all();
  void change(std::size_t place, Instruction instruction);
  std::size_t place_of(std::string_view id) const;
  void connect(Line& line, std::size_t place) const;
  void lay_out(std::size_t from);
  std::shared_ptr<const LaidOut> laid_out(const Line& line) const;

  std::vector<Line> lines_;
  std::vector<RecipePart> parts_;
  std::unordered_map<std::string_view, std::size_t> places_;  // of the lines of a long recipe, by their own ids
  std::size_t fitting_ = 0;                                   // so many lines, from the first on, read what fits
  Vectors vectors_;
  Dtype dtype_;
};

// For each line of a rewrite that of the original that does the same, operands aside.
std::vector<std::optional<std::size_t>> same_lines(const Recipe& rewrite, const Recipe& original);

}  // namespace attn
