#include "model/softmaxes/softmax_kind.h"
#include "words/language.h"

namespace attn {
namespace {

std::string compose(RecipeBuilder& work, const Choice&, const MaskedScores& from) {
  return work.step(
      {"attention_weights", "A", language().steps.shares, language().steps.shares_formula, Role::attention_weight},
      Softmax{Softmax::Part::shares, "key"}, {from.scores}, from.open);
}

}  // namespace

SoftmaxKind linear_softmaxkind() {
  return {.spec = {.name = "linear", .summary = "s / Σ s, shares without exponentials: for a first lesson"},
          .words = [](const Choice&) { return language().steps.linear.text(); },
          .compose = compose};
}

}  // namespace attn
