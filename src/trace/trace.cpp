#include "trace/trace.h"

#include <algorithm>
#include <cassert>

namespace attn {

const Step* Trace::find(std::string_view id) const {
  if (id == "result") id = result;
  const auto found = std::ranges::find_if(steps, [&](const Step& step) { return step.heading.id == id; });
  return found == steps.end() ? nullptr : &*found;
}

const GivenTensor* Trace::find_given(std::string_view id) const {
  const auto found = std::ranges::find_if(givens, [&](const GivenTensor& given) { return given.heading.id == id; });
  return found == givens.end() ? nullptr : &*found;
}

const Heading& Trace::heading(std::string_view id) const {
  if (const Step* step = find(id)) return step->heading;
  const GivenTensor* given = find_given(id);
  assert(given);
  return given->heading;
}

const Tensor<double>& Trace::value(std::string_view id) const {
  if (const Step* step = find(id)) return step->result;
  const GivenTensor* given = find_given(id);
  assert(given);
  return given->value;
}

Shape shape_as_read(const Operand& operand, const Shape& shape) {
  Shape read = shape;
  for (const auto& [from, to] : operand.renamed) read = read.renamed(from, to);
  return read;
}

}  // namespace attn
