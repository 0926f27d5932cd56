#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {

Convention softcap_left_out_convention() {
  return {.id = "softcap.left_out", .what = "the scores were not capped", .rewrites = [](const Recipe& right) {
            if (!right.has("capped_scores")) return Rewrites{};
            return Rewrites{rewritten(right, "capped_scores", "", [](Recipe& recipe) {
              recipe.replace("capped_scores", Copy{}, recipe.find("capped_scores")->operands);
            })};
          }};
}

}  // namespace attn
