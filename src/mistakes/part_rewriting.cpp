#include "mistakes/part_rewriting.h"

#include <utility>

namespace attn {

Rewrite replaced(const RightPart& right, const StepId& step, Op op, std::vector<Operand> operands,
                 std::string variant) {
  Rewrite made{step, std::move(variant), right.recipe};
  made.recipe.replace(step, std::move(op), std::move(operands));
  return made;
}

void redirect_all(Recipe& recipe, const StepId& behind, const StepId& from, const StepId& to,
                  std::optional<std::size_t> part) {
  for (std::size_t line = *recipe.line(behind) + 1; line < recipe.size(); ++line) {
    const bool is_meant = !part || recipe.instruction(line).part == *part;
    if (is_meant) recipe.redirect(std::string(recipe.instruction(line).id()), from, to);
  }
}

}  // namespace attn
