#include "trace/trace.h"

#include <algorithm>
#include <utility>

namespace attn {
namespace {

// That of `all`, which stand in the order of the recipe, that has the id.
template <class T>
const T* of_id(const std::vector<T>& all, const Recipe& recipe, std::string_view id) {
  constexpr std::size_t few = 64;  // which are looked through as soon
  const auto id_of = [](const T& one) -> const std::string& { return one.heading.id; };
  const auto line = all.size() > few ? recipe.line(id) : std::nullopt;
  const auto found =
      line ? std::ranges::lower_bound(all, *line, {}, [&](const T& one) { return *recipe.line(id_of(one)); })
           : std::ranges::find(all, id, id_of);
  return found == all.end() || id_of(*found) != id ? nullptr : &*found;
}

}  // namespace

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
  return of_id(steps, recipe, id);
}

const GivenTensor* Trace::find_given(std::string_view id) const { return of_id(givens, recipe, id); }

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

std::optional<std::size_t> own_places(const Trace& trace, std::string_view id, std::size_t part, const Shape& shape,
                                      const Axis& axis, std::size_t sequence) {
  // Keys and values have the axis of tokens until they are projected: "split_inputs.key".
  const bool of_keys = id.ends_with(".key") || id.ends_with(".value");
  const bool of_queries = axis == "query" || (axis == "token" && !of_keys);
  // What all sequences share is read by the longest.
  if (!of_queries || !shape.has("batch")) return std::nullopt;
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  const bool has_labels = part < parts.size() && parts[part].labels;
  const std::vector<std::size_t>& own = has_labels ? parts[part].labels->own_queries : trace.own_queries;
  return sequence < own.size() ? std::optional(own[sequence]) : std::nullopt;
}

std::size_t own_size(const Trace& trace, const Step& step, const Dim& dim, std::size_t sequence) {
  const auto own = own_places(trace, step.heading.id, step.part, step.result.shape(), dim.axis, sequence);
  return std::min(dim.size, own.value_or(dim.size));
}

std::string part_title(const Trace& trace, const Step& step) {
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  return step.part < parts.size() ? parts[step.part].title : "";
}

}  // namespace attn
