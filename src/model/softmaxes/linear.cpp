#include "model/softmaxes/softmax_kind.h"

namespace attn {
namespace {

std::string compose(RecipeBuilder& work, const Choice&, const MaskedScores& from) {
  return work.step({.id = "attention_weights",
                    .symbol = "A",
                    .title = "Attention weights: each score's share of its row",
                    .formula = "{} = {0} / sum of each row of {0}",
                    .role = Role::attention_weight},
                   Softmax{Softmax::Part::shares, "key"}, {from.scores}, from.open);
}

}  // namespace

SoftmaxKind linear_softmaxkind() {
  return {.spec = {.name = "linear", .summary = "s / Σ s, shares without exponentials: for a first lesson"},
          .words = [](const Choice&) { return std::string("none: each score is divided by the sum of its row"); },
          .compose = compose};
}

}  // namespace attn
