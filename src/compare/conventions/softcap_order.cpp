#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

Rewrite before_the_scale(const Recipe& right, const Map& cap, const Map& scale) {
  return rewritten(right, "scaled_scores", "before they were scaled", [&](Recipe& recipe) {
    recipe.insert_before("scaled_scores", in_between("~capped", cap, recipe.find("scaled_scores")->operands));
    recipe.replace("scaled_scores", scale, {"~capped"});
    recipe.replace("capped_scores", Copy{}, {"scaled_scores"});
  });
}

// A closed score is then −c, and its cell gets weight.
Rewrite after_the_mask(const Recipe& right, const Map& cap) {
  return rewritten(right, "capped_scores", "after the mask, so that closed cells have −c and not −∞",
                   [&](Recipe& recipe) {
                     recipe.replace("capped_scores", Copy{}, recipe.find("capped_scores")->operands);
                     const Instruction close = *recipe.find("masked_scores");
                     recipe.insert_before("masked_scores", in_between("~closed", close.op, close.operands, close.open));
                     recipe.replace("masked_scores", cap, {"~closed"});
                     leave_open_below(recipe, "masked_scores");
                   });
}

std::vector<Rewrite> elsewhere(const Recipe& right) {
  const Instruction* capped = right.find("capped_scores");
  const auto* cap = capped ? std::get_if<Map>(&capped->op) : nullptr;
  if (!cap) return {};
  Rewrites all;
  if (const auto scale = asked_scale(right)) all.push_back(before_the_scale(right, *cap, *scale));
  if (right.has("masked_scores")) all.push_back(after_the_mask(right, *cap));
  return all;
}

}  // namespace

Convention softcap_order_convention() {
  return {.id = "softcap.order", .what = "the scores were capped in another place", .rewrites = elsewhere};
}

}  // namespace attn
