#include "model/scores/score.h"
#include "words/language.h"

namespace attn {
namespace {

std::string weighted_queries(RecipeBuilder& work, const Choice&, const Compared& from) {
  return record_weighted(
      work, {.id = "score_queries", .symbol = "Q_W", .title = language().steps.general_queries, .role = Role::query},
      from.queries, "d_q", "score.weight");
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
          .multiplied = weighted_queries,
          .title = language().steps.general_scores};
}

}  // namespace attn
