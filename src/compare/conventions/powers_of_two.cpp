#include <variant>

#include "base/math.h"
#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// What kernels do that have a faster 2^x: log₂e goes into the scale.
Rewrites folded(const RightAttention& right) {
  const auto scale = asked_scale(right);
  const auto softmax = softmax_input(right);
  if (!scale || !softmax || softmax->base != 0 || right.has(right.at.capped)) return {};
  const Map by{Unary::multiply, factor(*scale) / log(2.0), ""};
  Rewrite made = with_op(right, right.at.scaled, by);
  for (const std::string& id : {right.at.exponentials, right.at.sums, right.at.weights}) {
    if (const auto* part = std::get_if<Softmax>(&right.find(id)->op)) {
      made = with_op(std::move(made), id, Softmax{part->part, part->over, 2});
    }
  }
  return {std::move(made)};
}

}  // namespace

Convention powers_of_two_convention() {
  return {.id = "softmax.folded_log2", .what = language().mistakes.folded_log2, .rewrites = folded};
}

}  // namespace attn
