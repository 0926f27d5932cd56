#pragma once

#include <cstddef>

#include "trace/recipe.h"

namespace attn {

// How many numbers all steps of a recipe have together, those that are given included.
inline std::size_t numbers_in(const Recipe& recipe) {
  std::size_t numbers = 0;
  for (std::size_t line = 0; line < recipe.size(); ++line) numbers += recipe.shape(line).count();
  return numbers;
}

}  // namespace attn
