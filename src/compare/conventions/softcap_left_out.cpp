#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {

Convention softcap_left_out_convention() {
  return {.id = "softcap.left_out", .what = "the scores were not capped", .rewrites = [](const RightAttention& right) {
            if (!right.has(right.at.capped)) return Rewrites{};
            return Rewrites{with_op({right.at.capped, "", right.recipe}, right.at.capped, Copy{})};
          }};
}

}  // namespace attn
