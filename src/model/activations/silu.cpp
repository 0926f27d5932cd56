#include "model/activations/activation.h"

namespace attn {

Activation silu_activation() {
  return {.spec = {.name = "silu", .summary = "x / (1 + e^(−x))"},
          .function = Unary::silu,
          .formula = "{} = {0} / (1 + e^(−{0}))"};
}

}  // namespace attn
