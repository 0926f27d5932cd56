#include <algorithm>
#include <cmath>
#include <span>

#include "model/softmaxes/softmax_kind.h"
#include "words/language.h"

namespace attn {
namespace {

std::optional<Misfit> misfit(const Choice& choice, const ChoiceSetting&) {
  const std::span<const double> scores = choice.tensors.at("sink").numbers().data();
  if (std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) return std::nullopt;
  return Misfit{
      .parameter = "sink", .message = "holds a number that is not finite", .help = "a score, as the others are"};
}

}  // namespace

SoftmaxKind sink_softmaxkind() {
  return {
      .spec = {.name = "sink",
               .summary = "e^s / (Σ e^s + e^sink), one more score a row that takes weight and has no value (Xiao et "
                          "al. 2024, section 3; Miller 2023)",
               .parameters = {{.name = "sink",
                               .summary = "score of the sink, one number or one a head, [heads]",
                               .symbol = "s_sink",

                               .axes = {"head"},
                               .may_be_one_number = true}},
               .by_parameter = true,
               .misfit = misfit},
      .words = [](const Choice&) { return language().steps.sink.text(); },
      .exponentials = [](const Choice&) -> Exponentials { return {.sink = Operand("softmax.sink")}; }};
}

}  // namespace attn
