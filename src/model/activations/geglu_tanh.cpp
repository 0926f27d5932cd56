#include "model/activations/activation.h"

namespace attn {

Activation geglu_tanh_activation() {
  return {.spec = {.name = "geglu_tanh",
                   .summary = "the same with gelu by a tanh, as T5's second version has it",
                   .gated = true},
          .function = Unary::gelu_tanh,
          .formula = "{} = gelu({0})·{1}"};
}

}  // namespace attn
