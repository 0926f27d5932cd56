#pragma once

#include <cstdint>
#include <optional>

#include "trace/recipe.h"

// The same computation as a recipe's on other numbers: what is true of it, and of a rewrite
// of it, is true of every problem of its kind, and no accident of the numbers.

namespace attn {

// Every given tensor of features drawn anew, so that scores stay small; what says which
// keys are open, and what has an axis of heads alone, stays.
// REQUIRES: the recipe fits.
Recipe with_drawn_numbers(const Recipe& recipe, std::uint64_t seed);

// The same with other widths, all different, of which none is the square of another or a
// number of tokens, as far as the recipe lets them be chosen; nothing where it lets none.
std::optional<Recipe> with_other_widths(const Recipe& recipe, std::uint64_t seed);

}  // namespace attn
