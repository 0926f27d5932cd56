#include "model/activations/activation.h"

namespace attn {

Activation gelu_activation() {
  return {.spec = {.name = "gelu", .summary = "x·½·(1 + erf(x / √2)) (Hendrycks and Gimpel 2016)"},
          .function = Unary::gelu,
          .formula = "{} = {0}·½·(1 + erf({0} / √2))"};
}

}  // namespace attn
