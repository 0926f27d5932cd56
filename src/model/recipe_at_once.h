#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "model/masks/mask.h"
#include "model/softmaxes/softmax_kind.h"
#include "problem/problem.h"
#include "trace/recipe.h"

namespace attn {

// Whether the context can be computed at once, with no score, weight or sum
// kept: scores are dot products, softmax goes by exponentials, positions add
// nothing to scores before they are scaled nor to the context, and no step
// between is rounded, by hand or, but where the backend does that, to half
// precision; and nothing stands around it.
bool has_fused_form(const Problem& problem, const Backend& backend);

// What the computation reads: ids of steps and given tensors.
struct ReadAtOnce {
  std::string queries, keys, values;
  std::optional<std::string> open = std::nullopt, bias = std::nullopt, sinks = std::nullopt;
  bool bias_of_distance = false;  // `bias` has a number a distance, not one a cell
  Window sees = {};
  bool by_length = false;
  Exponentials exponentials = {};
  double scale = 1;
  std::string context = {};  // what it makes
};

// A recipe whose step "context" is made at once from the queries, all keys and
// all values, whose heads are not repeated.
struct RecipeAtOnce {
  Recipe recipe;
  ReadAtOnce read;
};

// REQUIRES: has_fused_form(); the problem lives until the recipe was worked out.
RecipeAtOnce recipe_at_once(const Problem& problem);

// How many bytes working that step out takes beside the recipe's own numbers: for
// copies of what it reads and makes, as the backend wants them. REQUIRES: read is
// of the recipe, whose bytes are far from saturation.
std::size_t bytes_copied_at_once(const Recipe& recipe, const ReadAtOnce& read, Dtype dtype);

}  // namespace attn
