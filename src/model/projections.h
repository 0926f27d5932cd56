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
Projected record_projections(RecipeBuilder& work, const Inputs& inputs, const Attention& attention);

// "{0}·{1}", "{0}·{1}ᵀ" or "{1}·{0}": a product with a weight matrix as this
// problem writes it, with " + {2}" where there is a bias.
std::string product(const Attention& attention, bool has_bias);

}  // namespace attn
