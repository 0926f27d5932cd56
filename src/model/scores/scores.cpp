#include "model/row_named.h"
#include "model/scores/score.h"

namespace attn {

const Score& score_named(const std::string& name) { return row_named(scores(), name); }

std::string written_products(const RecipeBuilder& work, const Compared& from) {
  const std::string& q = work.symbol(from.queries);
  const std::string& k = work.symbol(from.keys);
  return work.vectors() == Vectors::rows ? q + "·" + k + "ᵀ" : q + "ᵀ·" + k;
}

void record_last(RecipeBuilder& work, const Compared& from, Heading heading, const Contract& op,
                 std::vector<Operand> operands) {
  const std::vector<Operand> terms = from.terms ? from.terms() : std::vector<Operand>{};
  for (const Operand& term : terms) heading.formula += " + " + work.symbol(term.id);
  if (!terms.empty()) heading.title += ", and what positions add";
  operands.insert(operands.end(), terms.begin(), terms.end());
  heading.id = "scores";
  heading.symbol = "S";
  heading.role = Role::score;
  work.step(std::move(heading), op, std::move(operands));
}

std::string record_weighted(RecipeBuilder& work, Heading heading, const std::string& from, const Axis& width,
                            const std::string& weight) {
  const std::string x = work.symbol(from), w = work.symbol(weight);
  heading.formula = heading.symbol + " = " + (work.vectors() == Vectors::rows ? x + "·" + w : w + "ᵀ·" + x);
  return work.step(std::move(heading), Contract{width}, {Operand(from, {{"d_k", width}}), weight});
}

}  // namespace attn
