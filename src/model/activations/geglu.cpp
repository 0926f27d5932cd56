#include "model/activations/activation.h"

namespace attn {

Activation geglu_activation() {
  return {.spec = {.name = "geglu", .summary = "gelu(x·gate)·(x·in) (Shazeer 2020, equation 6)", .gated = true},
          .function = Unary::gelu,
          .formula = "{} = gelu({0})·{1}"};
}

}  // namespace attn
