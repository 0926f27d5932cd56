#include "model/activations/activation.h"

namespace attn {

Activation swiglu_activation() {
  return {.spec = {.name = "swiglu", .summary = "silu(x·gate)·(x·in) (Shazeer 2020, equation 6)", .gated = true},
          .function = Unary::silu,
          .formula = "{} = silu({0})·{1}"};
}

}  // namespace attn
