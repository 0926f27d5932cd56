#include "trace/trace.h"

#include <algorithm>

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
  const Step* step = find(id);
  return step ? step->heading : find_given(id)->heading;
}

const Tensor<double>& Trace::value(std::string_view id) const {
  const Step* step = find(id);
  return step ? step->result : find_given(id)->value;
}

}  // namespace attn
