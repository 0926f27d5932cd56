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

// The steps, by id, whose vectors queries, keys and values are projected from.
struct ProjectedFrom {
  std::string query, key, value;
  bool are_apart = false;       // cross-attention: the queries' are others than the keys'
  bool value_is_apart = false;  // and the values' yet others
};

// Records the inputs, where there are any, and their positions where these are
// added to them.
ProjectedFrom record_inputs(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                            const Position& position);

// Records the steps from there to queries, keys and values: split the inputs,
// project with bias, split the heads.
Projected record_projections(RecipeBuilder& work, const ProjectedFrom& from, const Attention& attention);

// How a problem writes products with matrices.
struct ProductLayout {
  Vectors vectors = Vectors::rows;
  WeightLayout weights = WeightLayout::in_out;
};

// "{} = {0}·{1}", "{} = {0}·{1}ᵀ" or "{} = {1}·{0}", with " + {2}" where there is a bias.
std::string written_product(const ProductLayout& layout, bool bias);

// Records the steps from the context to the result: the heads side by side, the
// output projection. Returns the id of the last.
std::string record_output(RecipeBuilder& work, const Attention& attention, std::string result);

}  // namespace attn
