#include "trace/trace.h"

#include <algorithm>
#include <span>
#include <utility>

#include "problem/labels.h"

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

// Whether it has a number for each query and key: then a key is no row by itself.
bool is_of_pairs(const Shape& shape) {
  return shape.has("query") &&
         std::ranges::all_of(shape.dims(), [](const Dim& dim) { return is_position(dim.axis) || is_outer(dim.axis); });
}

// How many of so many keys, which are all that have names or those that do not come from a cache, stand before the
// padding at their end.
std::optional<std::size_t> own_keys(std::span<const std::string> names, std::size_t past, std::size_t keys) {
  if (keys < names.size()) names = names.subspan(std::min(past, names.size()));
  if (keys == 0 || keys > names.size() || names[keys - 1] != padding_label) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find(names, padding_label) - names.begin());
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
  // What all sequences share is read by the longest.
  if (!is_position(axis) || !shape.has("batch")) return std::nullopt;
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  const bool has_labels = part < parts.size() && parts[part].labels;
  // Keys and values have the axis of tokens until they are projected: "split_inputs.key".
  if (axis == "key" || (axis == "token" && (id.ends_with(".key") || id.ends_with(".value")))) {
    const Labels& labels = has_labels ? *parts[part].labels : trace.labels;
    if (is_of_pairs(shape) || sequence >= labels.key.size()) return std::nullopt;
    return own_keys(labels.key[sequence], trace.past_keys, shape.size(axis));
  }
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
