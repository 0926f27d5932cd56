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

const Anatomy* Trace::attention() const {
  for (const RecipePart& part : recipe.parts()) {
    if (part.attention) return &*part.attention;
  }
  return nullptr;
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

}  // namespace attn
