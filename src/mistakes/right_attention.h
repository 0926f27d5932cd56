#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/evaluate.h"
#include "trace/recipe.h"

namespace attn {

// One attention of a recipe, as the problem asks for it: what mistakes and
// conventions are rewrites of.
struct RightAttention {
  const Recipe& recipe;
  std::size_t part = 0;
  const Anatomy& at = *recipe.parts()[part].attention;

  bool has(std::string_view id) const { return recipe.has(id); }
  const Instruction* find(std::string_view id) const { return recipe.find(id); }
  const Shape& shape(std::string_view id) const { return recipe.shape(id); }
  const Tensor<double>& given(std::string_view id) const { return recipe.given(id); }
  Tensor<double> value(std::string_view id) const { return value_in(recipe, id); }

  // The instructions of this part, in order.
  std::vector<std::shared_ptr<const Instruction>> instructions() const;
};

// Every attention of the recipe, which must outlive them.
std::vector<RightAttention> attentions(const Recipe& recipe);

}  // namespace attn
