#pragma once

#include <string>

#include "model/positions/position.h"
#include "problem/problem.h"
#include "trace/recipe_builder.h"

namespace attn {

// The ids of the three tensors that attention works on.
struct Projected {
  std::string queries, keys, values;
};

// Records the inputs, where there are any, and the steps from them to queries,
// keys and values: add positions, split the inputs, project with bias, split the heads.
Projected record_projections(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                             const Position& position);

// Records the steps from the context to the result: the heads side by side, the
// output projection. Returns the id of the last.
std::string record_output(RecipeBuilder& work, const Attention& attention, std::string result);

}  // namespace attn
