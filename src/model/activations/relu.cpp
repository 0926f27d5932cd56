#include "model/activations/activation.h"

namespace attn {

Activation relu_activation() {
  return {.spec = {.name = "relu", .summary = "max(x, 0) (Vaswani et al. 2017, equation 2)"},
          .function = Unary::relu,
          .formula = "{} = max({0}, 0)"};
}

}  // namespace attn
