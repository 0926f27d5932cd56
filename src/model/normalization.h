#pragma once

#include <optional>
#include <string>

#include "trace/recipe_builder.h"

namespace attn {

// One normalization of each vector of a tensor: what it is called, along which
// axis the vectors lie, and what is done to them afterwards.
struct Normalization {
  std::string id;      // of the last step; those before it are called id.mean, id.variance, …
  std::string symbol;  // of the last step
  Axis over;
  double eps = 1e-5;  // inside the root
  std::optional<Operand> gain = {}, bias = {};
  Role role = Role::output;
};

// Each vector less its mean, divided by the root of its variance (over n) plus
// eps; then times the gain, plus the bias (Ba, Kiros and Hinton 2016, equations
// 3 and 4). Returns the id of the last step.
//
//   id.sum, id.mean, id.deviations, id.squares, id.square_sum, id.variance,
//   id.steadied, id.root, id.quotient, id.scaled, id
//
// where the last of quotient, scaled and shifted is `id` itself.
// REQUIRES: x, and gain and bias where there are any, have the axis; new ids.
std::string layer_normalized(RecipeBuilder& work, const Normalization& normalization, const Operand& x);

// Each vector divided by the root of its mean square plus eps; then times the
// gain, plus the bias (Zhang and Sennrich 2019, equation 4). As above, with
// id.squares, id.square_sum, id.mean_square, id.steadied, id.root, id.quotient, id.scaled, id.
std::string rms_normalized(RecipeBuilder& work, const Normalization& normalization, const Operand& x);

}  // namespace attn
