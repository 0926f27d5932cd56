#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

Rewrites other_pairs(const RightAttention& right) {
  std::vector<Instruction> lines;
  bool neighbours = false;
  for (const auto& own : right.instructions()) {
    const auto* turning = std::get_if<Rotate>(&own->op);
    if (!turning) continue;
    if (lines.empty()) neighbours = turning->interleaved;
    Rotate other = *turning;
    other.interleaved = !other.interleaved;
    lines.push_back(line(own->id(), other, own->operands, own->open));
  }
  if (lines.empty()) return {};
  const std::string variant = neighbours ? "a feature of the first half with one of the second, and not neighbours"
                                         : "neighbours, and not a feature of the first half with one of the second";
  return {rewritten(right, lines.front().id(), variant, lines)};
}

}  // namespace

Convention rope_pairs_convention() {
  return {.id = "rope.pairs", .what = "other features were turned together (`interleaved`)", .rewrites = other_pairs};
}

}  // namespace attn
