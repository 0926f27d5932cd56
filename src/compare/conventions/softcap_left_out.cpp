#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {

Convention softcap_left_out_convention() {
  return {.id = "softcap.left_out",
          .what = language().mistakes.softcap_left_out,
          .rewrites = [](const RightAttention& right) {
            if (!right.has(right.at.capped)) return Rewrites{};
            return Rewrites{with_op(right, right.at.capped, Copy{})};
          }};
}

}  // namespace attn
