#include "trace/recipe_builder.h"

#include <algorithm>
#include <stdexcept>

#include "ops/shapes.h"

namespace attn {
namespace {

Tensor<double> all_stored(Tensor<double> numbers, Dtype dtype) {
  for (double& number : numbers.data()) number = stored(number, dtype);
  return numbers;
}

}  // namespace

RecipeBuilder::RecipeBuilder(Arithmetic arithmetic, Vectors vectors)
    : work_(std::make_shared<Work>(Work{Recipe(vectors, arithmetic.dtype), arithmetic})) {
  work_->recipe.parts().emplace_back();
}

RecipeBuilder RecipeBuilder::part(std::string prefix, std::string title) {
  const bool is_new = !prefix.empty() && work_->prefixes.insert(prefix).second;
  if (!is_new) throw std::logic_error("two parts of a recipe are called " + prefix);
  std::vector<RecipePart>& parts = work_->recipe.parts();
  parts.push_back({.prefix = std::move(prefix), .title = std::move(title)});
  return {work_, parts.size() - 1};
}

Recipe RecipeBuilder::take() {
  work_->recipe.put_givens_first();
  return std::move(work_->recipe);
}

std::string RecipeBuilder::given(Heading heading, const LateTensor<double>& value) {
  return give_numbers(std::move(heading), value, Instruction::Kind::given);
}

std::string RecipeBuilder::given_step(Heading heading, const LateTensor<double>& value) {
  return give_numbers(std::move(heading), value, Instruction::Kind::step);
}

std::string RecipeBuilder::give_numbers(Heading heading, const LateTensor<double>& value, Instruction::Kind kind) {
  if (work_->arithmetic.dtype == Dtype::f64) {
    return append({.heading = std::move(heading), .op = Given{}, .given = GivenNumbers(value), .kind = kind});
  }
  // A large model's numbers are not kept twice.
  const auto rounded = [value, dtype = work_->arithmetic.dtype]() -> LateTensor<double>::Shared {
    const auto is_stored = [dtype](double number) { return stored(number, dtype) == number; };
    if (std::ranges::all_of(value.numbers().data(), is_stored)) return value.shared();
    return std::make_shared<const Tensor<double>>(all_stored(value.numbers(), dtype));
  };
  return append({.heading = std::move(heading),
                 .op = Given{},
                 .given = GivenNumbers(LateTensor<double>::following(value.shape(), rounded)),
                 .kind = kind});
}

std::string RecipeBuilder::given(Heading heading, const Shape& shape, std::function<Tensor<double>()> make,
                                 Instruction::Kind kind, std::optional<GivenRule> rule) {
  if (rule && !rule->of.empty()) rule->of = scoped(rule->of);
  const auto rounded = [make = std::move(make), dtype = work_->arithmetic.dtype] { return all_stored(make(), dtype); };
  return append({.heading = std::move(heading),
                 .op = Given{},
                 .given = GivenNumbers(LateTensor<double>(shape, rounded)),
                 .kind = kind,
                 .rule = std::move(rule)});
}

std::string RecipeBuilder::step_of_shape(Heading heading, const Shape& shape) {
  const auto none = [shape] { return Tensor<double>::without_numbers(shape); };
  return append({.heading = std::move(heading), .op = Given{}, .given = GivenNumbers(LateTensor<double>(shape, none))});
}

std::string RecipeBuilder::step(Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open,
                                Instruction::Kind kind) {
  for (Operand& operand : operands) operand.id = resolved_id(operand.id);
  if (open) open->id = resolved_id(open->id);
  return append({.heading = std::move(heading),
                 .op = std::move(op),
                 .operands = std::move(operands),
                 .open = std::move(open),
                 .kind = kind});
}

Formula RecipeBuilder::symbol(std::string_view id) const {
  const Heading& heading = work_->recipe.find(resolved_id(id))->heading;
  return heading.symbol.standing_for(heading.id);
}

Shape RecipeBuilder::shape_of(const Op& op, const std::vector<Operand>& operands) const {
  std::vector<Shape> shapes;
  for (const Operand& operand : operands) shapes.push_back(shape_as_read(operand, shape(operand.id)));
  return result_shape(op, shapes, vectors());
}

std::string RecipeBuilder::scoped(std::string_view id) const {
  const std::string& prefix = current().prefix;
  if (id.empty()) return prefix;
  return prefix.empty() ? std::string(id) : prefix + "." + std::string(id);
}

std::string RecipeBuilder::resolved_id(std::string_view id) const {
  std::string own = scoped(id);
  return work_->recipe.has(own) ? own : std::string(id);
}

std::string RecipeBuilder::append(Instruction instruction) {
  std::string id = scoped(instruction.id());
  Heading& heading = instruction.heading;
  heading.id = id;
  std::vector<Formula> symbols;
  for (const Operand& operand : instruction.operands) symbols.push_back(symbol(operand.id));
  heading.formula = heading.formula.with(heading.symbol.standing_for(id), symbols);
  instruction.part = part_;
  work_->recipe.append(std::move(instruction));
  return id;
}

}  // namespace attn
