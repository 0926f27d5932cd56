#include "model/online.h"

#include "words/language.h"

namespace attn {
namespace {

std::optional<std::string> misfit_of(const Attention& attention) {
  const OnlineWords& words = language().online;
  const Chosen chosen(attention);
  const std::string& softmax = chosen.softmax.spec.name;
  if (!chosen.softmax.exponentials) return words.no_exponentials(softmax);
  if (chosen.softmax.exponentials(chosen.softmax_choice).sink) return words.has_sink(softmax);
  if (chosen.position.context_terms) return words.needs_weights(chosen.position.spec.name);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> misfit_of_online(const Problem& problem) {
  for (const Attention& attention : problem.sublayers) {
    if (auto misfit = misfit_of(attention)) return misfit;
  }
  return problem.block && problem.block->encoder ? misfit_of_online(*problem.block->encoder) : std::nullopt;
}

std::string record_online(RecipeBuilder& work, const Chosen& chosen, const MaskedScores& scores,
                          const std::string& values, std::size_t keys_a_block) {
  using Part = Online::Part;
  const OnlineWords& words = language().online;
  const Exponentials with = chosen.softmax.exponentials(chosen.softmax_choice);
  const auto part = [&](Part which) { return Online{which, "key", "block", keys_a_block, with.base}; };
  const std::string power = "{} = " + with.letter + "^";

  const std::string largest =
      work.step({"block_maximum", "b", words.block_maximum, words.block_maximum_formula, Role::softmax},
                part(Part::block_maximum), {scores.scores}, scores.open);
  const std::string maximum =
      work.step({"running_maximum", "m", words.running_maximum, words.running_maximum_formula, Role::softmax},
                part(Part::maximum), {largest});
  const std::string rescale =
      work.step({"rescale", "r", words.rescale, power + words.rescale_exponent.text(), Role::softmax},
                part(Part::rescale), {maximum});
  const std::string exponentials = work.step(
      {"block_exponentials", "E", words.block_exponentials, power + words.exponentials_exponent.text(), Role::softmax},
      part(Part::exponentials), {scores.scores, maximum}, scores.open);
  const std::string sums = work.step({"running_sum", "z", words.running_sum, words.running_sum_formula, Role::softmax},
                                     part(Part::sum), {exponentials, rescale});
  const std::string contexts =
      work.step({"running_context", "N", words.running_context, words.running_context_formula, Role::output},
                part(Part::context), {exponentials, values, rescale}, scores.open);
  return work.step({"context", "C", words.context, words.context_formula, Role::output}, part(Part::result),
                   {contexts, sums});
}

}  // namespace attn
