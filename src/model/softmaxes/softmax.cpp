#include "model/row_named.h"
#include "model/softmaxes/softmax_kind.h"

namespace attn {

std::string record_exponentials(RecipeBuilder& work, const MaskedScores& from, const Exponentials& with) {
  const std::string s = work.symbol(from.scores);
  const auto part = [&](Softmax::Part which) { return Softmax{which, "key", with.base}; };
  std::vector<Operand> searched = {from.scores};
  if (with.sink) searched.push_back(*with.sink);
  const std::string sink = with.sink ? work.symbol(with.sink->id) : "";
  const std::string maximum =
      work.step({.id = "row_maximum",
                 .symbol = "m",
                 .title = with.sink ? "Largest score of the row, the sink among them" : "Largest score of the row",
                 .formula = "m = max of each row of " + s + (with.sink ? " and " + sink : ""),
                 .role = Role::softmax},
                part(Softmax::Part::maximum), searched, from.open);
  const std::string exponentials = work.step({.id = "exponentials",
                                              .symbol = "E",
                                              .title = with.base == 0 ? "Exponentials of the differences to the maximum"
                                                                      : "Powers of the differences to the maximum",
                                              .formula = "E = " + with.letter + "^(" + s + " − m)",
                                              .role = Role::softmax},
                                             part(Softmax::Part::exponentials), {from.scores, maximum}, from.open);
  std::vector<Operand> summed = {exponentials};
  if (with.sink) summed.insert(summed.end(), {*with.sink, Operand(maximum)});
  const std::string sums =
      work.step({.id = "exponential_sums",
                 .symbol = "z",
                 .title = with.sink ? "Sum of the exponentials of the row, the sink's among them"
                                    : "Sum of the exponentials of the row",
                 .formula = "z = sum of each row of E" + (with.sink ? " + e^(" + sink + " − m)" : ""),
                 .role = Role::softmax},
                part(Softmax::Part::sum), summed);
  return work.step({.id = "attention_weights",
                    .symbol = "A",
                    .title = "Attention weights: softmax of each row of scores",
                    .formula = "A = E / z",
                    .role = Role::attention_weight},
                   part(Softmax::Part::weights), {exponentials, sums}, from.open);
}

SoftmaxKind softmax_softmaxkind() {
  return {.spec = {.name = "softmax", .summary = "e^s / Σ e^s (Vaswani et al. 2017, equation 1)"},
          .exponentials = [](const Choice&) { return Exponentials{}; }};
}

const SoftmaxKind& softmax_of(const Problem& problem) {
  return problem.softmax ? row_named(softmaxes(), problem.softmax->name) : softmaxes().front();
}

const Choice& chosen_softmax(const Problem& problem) {
  static const Choice usual{.name = softmaxes().front().spec.name};
  return problem.softmax ? *problem.softmax : usual;
}

}  // namespace attn
