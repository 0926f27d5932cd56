#include "model/row_named.h"
#include "model/scores/score.h"
#include "words/language.h"

namespace attn {

const Score& score_named(const std::string& name) { return row_named(scores(), name); }

std::string written_products(const RecipeBuilder& work) {
  return work.vectors() == Vectors::rows ? "{} = {0}·{1}ᵀ" : "{} = {0}ᵀ·{1}";
}

void record_last(RecipeBuilder& work, const Compared& from, Heading heading, const Contract& op,
                 std::vector<Operand> operands) {
  const std::vector<Operand> terms = from.terms ? from.terms() : std::vector<Operand>{};
  if (!terms.empty()) {
    heading.title = language().steps.and_positions(heading.title);
    heading.formula += " + " + places(operands.size(), terms.size());
  }
  operands.insert(operands.end(), terms.begin(), terms.end());
  heading.id = "scores";
  heading.symbol = "S";
  heading.role = Role::score;
  work.step(std::move(heading), op, std::move(operands));
}

std::string record_weighted(RecipeBuilder& work, Heading heading, const std::string& from, const Axis& width,
                            const std::string& weight) {
  heading.formula = work.vectors() == Vectors::rows ? "{} = {0}·{1}" : "{} = {1}ᵀ·{0}";
  return work.step(std::move(heading), Contract{width}, {Operand(from, {{"d_k", width}}), weight});
}

}  // namespace attn
