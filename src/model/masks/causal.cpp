#include "model/masks/by_position.h"
#include "words/language.h"

namespace attn {
namespace {

// Query i may attend to key j only where j <= i + offset.
MaskRule causal_rule(const Problem& problem) {
  return closing_by_position(problem,
                             {.id = "mask.causal",
                              .symbol = "M_causal",
                              .title = language().steps.causal,
                              .formula = language().steps.open_where("j ≤ " + written_position(problem)),
                              .role = Role::mask},
                             {.right = 0});
}

}  // namespace

Mask causal_mask() {
  return {
      .name = "causal", .summary = "a query sees no key after its own position", .rules = [](const Problem& problem) {
        return problem.causal ? std::vector{causal_rule(problem)} : std::vector<MaskRule>{};
      }};
}

}  // namespace attn
