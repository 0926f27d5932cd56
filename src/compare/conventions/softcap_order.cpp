#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

Rewrite before_the_scale(const RightAttention& right, const Map& cap, const Map& scale) {
  return rewritten(right, right.at.scaled, "before they were scaled", [&](Recipe& recipe) {
    recipe.insert_before(right.at.scaled, in_between("~capped", cap, recipe.find(right.at.scaled)->operands));
    recipe.replace(right.at.scaled, scale, {"~capped"});
    recipe.replace(right.at.capped, Copy{}, {right.at.scaled});
  });
}

// A closed score is then −c, and its cell gets weight.
Rewrite after_the_mask(const RightAttention& right, const Map& cap) {
  return rewritten(right, right.at.capped, "after the mask, so that closed cells have −c and not −∞",
                   [&](Recipe& recipe) {
                     recipe.replace(right.at.capped, Copy{}, recipe.find(right.at.capped)->operands);
                     const Instruction close = *recipe.find(right.at.masked);
                     recipe.insert_before(right.at.masked, in_between("~closed", close.op, close.operands, close.open));
                     recipe.replace(right.at.masked, cap, {"~closed"});
                     leave_open_below(recipe, right.at, right.at.masked);
                   });
}

std::vector<Rewrite> elsewhere(const RightAttention& right) {
  const Instruction* capped = right.find(right.at.capped);
  const auto* cap = capped ? std::get_if<Map>(&capped->op) : nullptr;
  if (!cap) return {};
  Rewrites all;
  if (const auto scale = asked_scale(right)) all.push_back(before_the_scale(right, *cap, *scale));
  if (right.has(right.at.masked)) all.push_back(after_the_mask(right, *cap));
  return all;
}

}  // namespace

Convention softcap_order_convention() {
  return {.id = "softcap.order", .what = "the scores were capped in another place", .rewrites = elsewhere};
}

}  // namespace attn
