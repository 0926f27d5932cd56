#include "model/scores/score.h"
#include "words/language.h"

namespace attn {

namespace {

void compose(RecipeBuilder& work, const Choice&, const Compared& from) {
  const std::string queries = record_weighted(
      work, {.id = "score_queries", .symbol = "Q_W", .title = language().steps.additive_queries, .role = Role::query},
      from.queries, "d_q", "score.query");
  const std::string keys = record_weighted(
      work, {.id = "score_keys", .symbol = "K_W", .title = language().steps.additive_keys, .role = Role::key},
      from.keys, "d_k", "score.key");
  work.step({"score_hidden", "H_S", language().steps.hidden_sums, language().steps.each_pair, Role::score},
            Combine{Binary::add, {}}, {queries, keys});
  record_hidden_scores(work, from);
}

}  // namespace

Score additive_score() {
  return {.spec = {.name = "additive",
                   .summary = "vᵀ·tanh(W1ᵀ·q + W2ᵀ·k), a small network (Bahdanau et al. 2015, appendix A.1.2)",
                   .parameters = {{.name = "query",
                                   .summary = "weight of the score for queries, [d_q][d_hidden]",
                                   .symbol = "W_1",
                                   .axes = {"d_q", "d_hidden"}},
                                  {.name = "key",
                                   .summary = "weight of the score for keys, [d_k][d_hidden]",
                                   .symbol = "W_2",
                                   .axes = {"d_k", "d_hidden"}},
                                  {.name = "v", .summary = "vector of the score, [d_hidden]", .axes = {"d_hidden"}}},
                   .equal_widths = false,
                   .score_terms = true},
          .compose = compose};
}

}  // namespace attn
