#pragma once

#include "model/scores/score.h"

namespace attn {

// Records the step "scores": the dot product of each query with each key.
void record_dot_products(RecipeBuilder& work, const Compared& from);

// The queries themselves, which it multiplies.
std::string queries_of(RecipeBuilder& work, const Choice& choice, const Compared& from);

}  // namespace attn
