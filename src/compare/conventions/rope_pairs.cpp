#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

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
  const Said& variant = neighbours ? language().mistakes.rope_halves : language().mistakes.rope_neighbours;
  return {rewritten(right, lines.front().id(), variant, lines)};
}

}  // namespace

Convention rope_pairs_convention() {
  return {.id = "rope.pairs", .what = language().mistakes.rope_pairs, .rewrites = other_pairs};
}

}  // namespace attn
