#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "problem/arithmetic.h"
#include "trace/recipe.h"

namespace attn {

// Writes a recipe down, instruction by instruction. Nothing is computed: of
// every tensor the shape is known, and no number.
//
// Recipes pass the ids that they get on to those that read them. An id may also
// be called by the name it was recorded under, in the same part.
class RecipeBuilder {
 public:
  explicit RecipeBuilder(Arithmetic arithmetic = {}, Vectors vectors = Vectors::rows);

  // A stretch of the same recipe that is told by itself: ids get the prefix and a
  // point before them, and an empty one is the prefix itself. Throws std::logic_error where there is a part of that
  // prefix.
  RecipeBuilder part(std::string prefix, std::string title);

  // The part that this writes down.
  RecipePart& current() const { return work_->recipe.parts()[part_]; }

  // How many parts the recipe has.
  std::size_t parts() const { return work_->recipe.parts().size(); }

  // The number of this one among them.
  std::size_t number() const { return part_; }

  // A tensor of the problem that is no step; it will be rounded to the dtype.
  // Returns its id.
  std::string given(Heading heading, const LateTensor<double>& value);

  // The same for numbers that follow from the problem: `make` returns a tensor of
  // that shape, and what it refers to lives until the recipe was worked out. A rule says the same numbers.
  std::string given(Heading heading, const Shape& shape, std::function<Tensor<double>()> make,
                    Instruction::Kind kind = Instruction::Kind::given, std::optional<GivenRule> rule = std::nullopt);

  // A step whose numbers the problem gives.
  std::string given_step(Heading heading, const LateTensor<double>& value);

  // A step that is worked out as a whole, by a policy that knows how (Policy::make).
  std::string step_of_shape(Heading heading, const Shape& shape);

  // A step, or a hidden one. Returns its id. Throws std::logic_error where the id is not new.
  // REQUIRES: operands that fit (ops/shapes.h). Cells that `open` closes will not be read.
  std::string step(Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open = std::nullopt,
                   Instruction::Kind kind = Instruction::Kind::step);

  // The id under which it was recorded that may be called so in this part.
  std::string id_of(std::string_view name) const { return resolved_id(name); }

  // REQUIRES: a given tensor or a step has that id.
  const Shape& shape(std::string_view id) const { return work_->recipe.shape(resolved_id(id)); }

  // How people write it: "Q". REQUIRES: as above.
  Formula symbol(std::string_view id) const;

  // The shape that a step would have.
  Shape shape_of(const Op& op, const std::vector<Operand>& operands) const;

  Vectors vectors() const { return work_->recipe.vectors(); }
  const Arithmetic& arithmetic() const { return work_->arithmetic; }

  // Hands over what was written down, the given tensors first. Nothing can be added afterwards.
  Recipe take();

 private:
  struct Work {
    Recipe recipe;
    Arithmetic arithmetic;
    std::unordered_set<std::string> prefixes = {};  // of its parts
  };

  RecipeBuilder(std::shared_ptr<Work> work, std::size_t part) : work_(std::move(work)), part_(part) {}

  std::string give_numbers(Heading heading, const LateTensor<double>& value, Instruction::Kind kind);
  std::string scoped(std::string_view id) const;
  std::string resolved_id(std::string_view id) const;
  std::string append(Instruction instruction);

  std::shared_ptr<Work> work_;
  std::size_t part_ = 0;
};

}  // namespace attn
