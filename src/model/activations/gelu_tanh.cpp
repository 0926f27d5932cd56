#include "model/activations/activation.h"

namespace attn {

Activation gelu_tanh_activation() {
  return {.spec = {.name = "gelu_tanh", .summary = "gelu by a tanh, as BERT's first code and GPT-2 have it"},
          .function = Unary::gelu_tanh,
          .formula = "{} = {0}·½·(1 + tanh(√(2/π)·({0} + 0.044715·{0}³)))"};
}

}  // namespace attn
