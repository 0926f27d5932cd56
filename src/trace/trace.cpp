#include "trace/trace.h"

#include <algorithm>
#include <utility>

namespace attn {

Step::Step(std::shared_ptr<const Instruction> instruction, std::shared_ptr<const Tensor<double>> numbers,
           std::shared_ptr<const Bounds> how_far)
    : heading(instruction->heading),
      op(instruction->op),
      operands(instruction->operands),
      open(instruction->open),
      result(*numbers),
      part(instruction->part),
      instruction_(std::move(instruction)),
      numbers_(std::move(numbers)),
      bounds_(std::move(how_far)) {}

Step::Step(Instruction instruction, Tensor<double> numbers)
    : Step(std::make_shared<const Instruction>(std::move(instruction)),
           std::make_shared<const Tensor<double>>(std::move(numbers))) {}

GivenTensor::GivenTensor(std::shared_ptr<const Instruction> instruction)
    : heading(instruction->heading),
      value(instruction->given->points.numbers()),
      part(instruction->part),
      rule(instruction->rule),
      instruction_(std::move(instruction)) {}

const Step* Trace::find(std::string_view id) const {
  if (id == "result") id = result;
  const auto found = std::ranges::find_if(steps, [&](const Step& step) { return step.heading.id == id; });
  return found == steps.end() ? nullptr : &*found;
}

const GivenTensor* Trace::find_given(std::string_view id) const {
  const auto found = std::ranges::find_if(givens, [&](const GivenTensor& given) { return given.heading.id == id; });
  return found == givens.end() ? nullptr : &*found;
}

const Anatomy* Trace::attention() const {
  for (const RecipePart& part : recipe.parts()) {
    if (part.attention) return &*part.attention;
  }
  return nullptr;
}

const Heading& Trace::heading(std::string_view id) const {
  const Step* step = find(id);
  return step ? step->heading : find_given(id)->heading;
}

const Tensor<double>& Trace::value(std::string_view id) const {
  const Step* step = find(id);
  return step ? step->result : find_given(id)->value;
}

std::string part_title(const Trace& trace, const Step& step) {
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  return step.part < parts.size() ? parts[step.part].title : "";
}

}  // namespace attn
