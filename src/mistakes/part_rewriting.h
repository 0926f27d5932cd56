#pragma once

#include <string>

#include "mistakes/rewriting.h"

// What mistakes beside the attention have in common.

namespace attn {

// The recipe of that part, where the step of that id does something else.
Rewrite replaced(const RightPart& right, const StepId& step, Op op, std::vector<Operand> operands,
                 std::string variant = "");

// Lets every line of the recipe behind `behind` that read `from` read `to`; those of one part only, where that is said.
void redirect_all(Recipe& recipe, const StepId& behind, const StepId& from, const StepId& to,
                  std::optional<std::size_t> part = {});

}  // namespace attn
