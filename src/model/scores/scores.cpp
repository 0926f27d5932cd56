#include <algorithm>
#include <cassert>

#include "model/scores/score.h"

namespace attn {

const Score& score_named(const std::string& name) {
  const auto found = std::ranges::find_if(scores(), [&](const Score& score) { return score.spec.name == name; });
  assert(found != scores().end());
  return *found;
}

std::string written_products(const Recorder& work, const Compared& from) {
  const std::string& q = work.symbol(from.queries);
  const std::string& k = work.symbol(from.keys);
  return work.vectors() == Vectors::rows ? q + "·" + k + "ᵀ" : q + "ᵀ·" + k;
}

void record_last(Recorder& work, const Compared& from, Heading heading, const Contract& op,
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

}  // namespace attn
