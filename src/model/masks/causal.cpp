#include "model/masks/by_position.h"
#include "words/language.h"

namespace attn {
namespace {

// Query i may attend to key j only where j <= i + offset.
MaskRule causal_rule(const Attention& attention) {
  return closing_by_position(attention,
                             {"mask.causal", "M_causal", language().steps.causal,
                              language().steps.open_where("j ≤ " + written_position(attention)), Role::mask},
                             {.right = 0});
}

}  // namespace

Mask causal_mask() {
  return {.spec = {.name = "causal",
                   .also_called = {"iscausal", "causalmask"},
                   .summary = "a query sees no key after its own position",
                   .written = "query i attends to key j only where j ≤ i + offset",
                   .kind = OptionSpec::Kind::boolean,
                   .about_sequences = true},
          .rules = [](const OptionValue&, const Attention& attention, Dtype) {
            return std::vector{causal_rule(attention)};
          }};
}

}  // namespace attn
