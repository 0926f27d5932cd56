#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/block.h"
#include "trace/recipe_builder.h"

namespace attn {

// A way to normalize vectors [batch?, token, d_model].
struct NormKind {
  NormSpec spec = {};

  // Records what each vector is measured by, a number a token; returns the steps
  // that the normalized vectors read after the vectors themselves.
  std::function<std::vector<Operand>(RecipeBuilder& work, const std::string& from)> measured = {};

  std::string formula = {};  // of the normalized vectors: "{} = {0} / √({1} + ε)"
};

// Every one, in the order in which people are shown them: the rows that
// norms/CMakeLists.txt names.
const std::vector<NormKind>& norm_kinds();

}  // namespace attn
