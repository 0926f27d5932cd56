#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"
#include "trace/trace.h"

namespace attn {

// One line of a computation, to be done on whatever numbers come before it.
struct Instruction {
  std::string id;
  Op op;
  std::vector<Operand> operands = {};                // of instructions above it
  std::optional<Operand> open = {};                  // the mask whose closed cells are not read
  std::shared_ptr<const Tensor<double>> given = {};  // the numbers, where op is Given
  bool on_paper = true;  // whether a person who rounds rounds it; false for lines only a rewrite needs
};

// What a trace computes, as instructions without results: what a mistake
// rewrites, and what is worked out again on a person's own numbers.
//
// Given tensors (weights, biases, rules of the mask) come first, under their
// ids; then the steps of the trace in order.
class Recipe {
 public:
  explicit Recipe(const Trace& trace);

  const std::vector<Instruction>& instructions() const { return instructions_; }
  Vectors vectors() const { return vectors_; }
  Dtype dtype() const { return dtype_; }

  // The instruction of that id, or null.
  const Instruction* find(std::string_view id) const;
  bool has(std::string_view id) const { return find(id) != nullptr; }

  // The shape of what it makes, of the recipe as it stands; nothing where it, or
  // what stands above it, reads operands that do not fit. REQUIRES: has(id).
  std::optional<Shape> fitting_shape(std::string_view id) const;

  // The same. REQUIRES: it fits.
  Shape shape(std::string_view id) const;

  // Whether every instruction can read its operands: a rewrite may have made
  // numbers of another shape than those below expect.
  bool fits() const;

  // The numbers of a given tensor or step. REQUIRES: has(id), and its op is Given.
  const Tensor<double>& given(std::string_view id) const;

  // The numbers of `id` where they follow from what is given alone, whatever a
  // person computes: the mask, say. REQUIRES: has(id), and that they do.
  Tensor<double> value(std::string_view id) const;

  // Puts another computation in the place of the instruction `id`. Whoever reads
  // `id` now reads its result. REQUIRES: has(id); the operands stand above it.
  void replace(std::string_view id, Op op, std::vector<Operand> operands, std::optional<Operand> open = std::nullopt);

  // Puts a new instruction just before `id`. REQUIRES: has(id); a new id.
  void insert_before(std::string_view id, Instruction instruction);

  // Puts it just after `id`, and lets everyone below who read `id` read it.
  // REQUIRES: has(id); a new id; the same axes.
  void interpose_after(std::string_view id, Instruction instruction);

  // Puts it last of all. REQUIRES: a new id.
  void append(Instruction instruction);

  // Adds given numbers above all instructions. REQUIRES: a new id.
  void give(std::string id, Tensor<double> value);

  // Lets `reader` read `to` wherever it read `from`, under the same axis names.
  // REQUIRES: has(reader); `to` stands above it.
  void redirect(std::string_view reader, std::string_view from, std::string_view to);

 private:
  Instruction& at(std::string_view id);

  std::vector<Instruction> instructions_;
  Vectors vectors_;
  Dtype dtype_;
};

}  // namespace attn
