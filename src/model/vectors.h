#pragma once

#include "model/chosen.h"
#include "model/projections.h"

namespace attn {

// Records queries, and all keys and values: projected, new ones rotated, past
// ones put before them and appended ones after them.
Projected record_vectors(RecipeBuilder& work, const Inputs& inputs, const Attention& attention, const Chosen& chosen);

// The same of vectors that steps make.
Projected record_vectors(RecipeBuilder& work, const ProjectedFrom& from, const Attention& attention,
                         const Chosen& chosen);

// How many query heads share each head of keys and values.
std::size_t query_heads_to_each_key(const Attention& attention);

// Repeats keys and values that several heads share for each of them (grouped-query
// attention: Ainslie et al. 2023, section 2.2; with one head of keys Shazeer
// 2019), and returns the steps that the scores and the context read.
Projected record_repeated_heads(RecipeBuilder& work, const Attention& attention, const Projected& all);

}  // namespace attn
