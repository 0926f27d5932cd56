#include <variant>

#include "check/conventions/convention.h"
#include "check/mistakes/rewriting.h"

namespace attn {
namespace {

std::vector<Rewrite> tiled(const Recipe& right) {
  std::vector<Instruction> repeating;
  for (const Instruction& line : right.instructions()) {
    const auto* repeat = std::get_if<Repeat>(&line.op);
    if (!repeat || repeat->axis != "head" || repeat->times < 2) continue;
    if (size_along(right, line.operands[0].id, "head") > 1) repeating.push_back(line);
  }
  if (repeating.empty()) return {};
  return {rewritten(right, repeating.front().id, "", [&](Recipe& recipe) {
    for (const Instruction& line : repeating) {
      Repeat other = std::get<Repeat>(line.op);
      other.tiled = !other.tiled;
      recipe.replace(line.id, other, line.operands, line.open);
    }
  })};
}

}  // namespace

Convention grouping_convention() {
  return {.id = "grouping.tiled",
          .what = "the query heads take the key and value heads in turn (1, 2, 1, 2) and not in groups (1, 1, 2, 2)",
          .rewrites = tiled};
}

}  // namespace attn
