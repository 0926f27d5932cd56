#include "model/softmaxes/softmax_kind.h"
#include "words/language.h"

namespace attn {

std::string record_exponentials(RecipeBuilder& work, const MaskedScores& from, const Exponentials& with) {
  const auto part = [&](Softmax::Part which) { return Softmax{which, "key", with.base}; };
  std::vector<Operand> searched = {from.scores};
  if (with.sink) searched.push_back(*with.sink);
  const std::string maximum =
      work.step({"row_maximum", "m", with.sink ? language().steps.row_maximum_with_sink : language().steps.row_maximum,
                 with.sink ? language().steps.row_maximum_with_sink_formula : language().steps.row_maximum_formula,
                 Role::softmax},
                part(Softmax::Part::maximum), searched, from.open);
  const std::string exponentials =
      work.step({"exponentials", "E", with.base == 0 ? language().steps.exponentials : language().steps.powers,
                 "{} = " + with.letter + "^({0} − {1})", Role::softmax},
                part(Softmax::Part::exponentials), {from.scores, maximum}, from.open);
  std::vector<Operand> summed = {exponentials};
  if (with.sink) summed.insert(summed.end(), {*with.sink, Operand(maximum)});
  const std::string sums = work.step(
      {"exponential_sums", "z", with.sink ? language().steps.row_sum_with_sink : language().steps.row_sum,
       with.sink ? language().steps.row_sum_with_sink_formula : language().steps.row_sum_formula, Role::softmax},
      part(Softmax::Part::sum), summed);
  return work.step(
      {"attention_weights", "A", language().steps.softmax_weights, "{} = {0} / {1}", Role::attention_weight},
      part(Softmax::Part::weights), {exponentials, sums}, from.open);
}

SoftmaxKind softmax_softmaxkind() {
  return {.spec = {.name = "softmax", .summary = "e^s / Σ e^s (Vaswani et al. 2017, equation 1)"},
          .exponentials = [](const Choice&) { return Exponentials{}; }};
}

}  // namespace attn
