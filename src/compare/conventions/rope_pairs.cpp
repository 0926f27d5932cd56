#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

std::vector<Rewrite> other_pairs(const RightAttention& right) {
  std::vector<Instruction> turning;
  for (const auto& line : right.instructions()) {
    if (std::holds_alternative<Rotate>(line->op)) turning.push_back(*line);
  }
  if (turning.empty()) return {};
  const bool neighbours = std::get<Rotate>(turning.front().op).interleaved;
  const std::string variant = neighbours ? "a feature of the first half with one of the second, and not neighbours"
                                         : "neighbours, and not a feature of the first half with one of the second";
  return {rewritten(right, turning.front().id(), variant, [&](Recipe& recipe) {
    for (const Instruction& line : turning) {
      Rotate other = std::get<Rotate>(line.op);
      other.interleaved = !other.interleaved;
      recipe.replace(line.id(), other, line.operands, line.open);
    }
  })};
}

}  // namespace

Convention rope_pairs_convention() {
  return {.id = "rope.pairs", .what = "other features were turned together (`interleaved`)", .rewrites = other_pairs};
}

}  // namespace attn
