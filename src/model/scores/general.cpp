#include "model/scores/score.h"

namespace attn {
namespace {

void compose(Recorder& work, const Choice&, const Compared& from) {
  const std::string q = work.symbol(from.queries), k = work.symbol(from.keys);
  const bool rows = work.vectors() == Vectors::rows;
  const std::string queries = work.step({.id = "score_queries",
                                         .symbol = "Q_W",
                                         .title = "Queries times the weight of the score",
                                         .formula = rows ? "Q_W = " + q + "·W" : "Q_W = Wᵀ·" + q,
                                         .role = Role::query},
                                        Contract{"d_q"}, {Operand(from.queries, {{"d_k", "d_q"}}), "score.weight"});
  record_last(work, from,
              {.title = "Scores: each query, times the weight, with each key",
               .formula = rows ? "S = Q_W·" + k + "ᵀ" : "S = Q_Wᵀ·" + k},
              Contract{"d_k"}, {queries, from.keys});
}

}  // namespace

Score general_score() {
  return {.spec = {.name = "general",
                   .summary = "qᵀ·W·k, a dot product with a weight between (Luong et al. 2015, section 3.1)",
                   .parameters = {{.name = "weight",
                                   .summary = "weight of the score, [d_q][d_k]",
                                   .symbol = "W",
                                   .axes = {"d_q", "d_k"}}},
                   .equal_widths = false,
                   .score_terms = true},
          .compose = compose};
}

}  // namespace attn
