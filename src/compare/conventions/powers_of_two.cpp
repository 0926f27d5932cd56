#include <variant>

#include "base/math.h"
#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

// What kernels do that have a faster 2^x: log₂e goes into the scale.
std::vector<Rewrite> folded(const RightAttention& right) {
  const Instruction* exponentials = right.find(right.at.exponentials);
  const auto* softmax = exponentials ? std::get_if<Softmax>(&exponentials->op) : nullptr;
  const auto scale = asked_scale(right);
  if (!has_softmax(right) || !scale || !softmax || softmax->base != 0 || right.has(right.at.capped)) return {};
  return {rewritten(right, right.at.scaled, "", [&](Recipe& recipe) {
    const Map by = {Unary::multiply, factor(*scale) / log(2.0), ""};
    recipe.replace(right.at.scaled, by, recipe.find(right.at.scaled)->operands);
    for (const std::string& id : {right.at.exponentials, right.at.sums, right.at.weights}) {
      const Instruction line = *recipe.find(id);
      if (const auto* part = std::get_if<Softmax>(&line.op)) {
        recipe.replace(id, Softmax{part->part, part->over, 2}, line.operands, line.open);
      }
    }
  })};
}

}  // namespace

Convention powers_of_two_convention() {
  return {.id = "softmax.folded_log2",
          .what = "the scale holds log₂e and the softmax takes powers of 2, which gives the same weights",
          .rewrites = folded};
}

}  // namespace attn
