#include "model/scores/score.h"
#include "words/language.h"

namespace attn {
namespace {

void compose(RecipeBuilder& work, const Choice&, const Compared& from) {
  const std::string pairs =
      work.step({"score_pairs", "QK", language().steps.pairs, "{} = [q_i; k_j]", Role::score}, Join{"d_pair"},
                {Operand(from.queries, {{"d_k", "d_pair"}}), Operand(from.keys, {{"d_k", "d_pair"}})});
  work.step({"score_hidden", "H_S", language().steps.hidden_of_pairs,
             work.vectors() == Vectors::rows ? "{} = {0}·{1}" : "{} = {1}ᵀ·{0}", Role::score},
            Contract{"d_pair"}, {pairs, "score.weight"});
  record_hidden_scores(work, from);
}

}  // namespace

Score concat_score() {
  return {.spec = {.name = "concat",
                   .summary = "vᵀ·tanh(Wᵀ·[q; k]), a small network on both at once (Luong et al. 2015, section 3.1)",
                   .parameters = {{.name = "weight",
                                   .summary = "weight of the score, [d_q + d_k][d_hidden]",
                                   .symbol = "W",
                                   .axes = {"d_pair", "d_hidden"}},
                                  {.name = "v", .summary = "vector of the score, [d_hidden]", .axes = {"d_hidden"}}},
                   .equal_widths = false,
                   .score_terms = true},
          .compose = compose};
}

}  // namespace attn
