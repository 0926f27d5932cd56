#include "base/numbers.h"
#include "model/softmaxes/softmax_kind.h"
#include "words/language.h"

namespace attn {

SoftmaxKind base_softmaxkind() {
  return {.spec = {.name = "base",
                   .summary = "b^s / Σ b^s, a softmax with another base than e",
                   .parameters = {{.name = "base", .summary = "b, more than 1", .above = 1}},
                   .by_parameter = true},
          .words = [](const Choice& choice) { return language().steps.base(choice.numbers.at("base")); },
          .exponentials = [](const Choice& choice) -> Exponentials {
            const double base = choice.numbers.at("base");
            return {.base = base, .letter = shortest(base)};
          }};
}

}  // namespace attn
