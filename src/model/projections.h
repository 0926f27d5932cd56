#pragma once

#include <string>

#include "problem/problem.h"
#include "trace/recipe_builder.h"

namespace attn {

// The ids of the three tensors that attention works on.
struct Projected {
  std::string queries, keys, values;
};

// Records the inputs, where there are any, and the steps from them to queries,
// keys and values: split the inputs, project with bias, split the heads.
Projected record_projections(RecipeBuilder& work, const Problem& problem);

// "X·W", "X·Wᵀ" or "W·X": a product with a weight matrix as this problem
// writes it, with "+ b" where there is a bias.
std::string product(const Problem& problem, const std::string& x, const std::string& w, const std::string& bias);

}  // namespace attn
