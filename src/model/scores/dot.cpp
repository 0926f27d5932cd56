#include "model/scores/dot.h"

#include "words/language.h"

namespace attn {

void record_dot_products(RecipeBuilder& work, const Compared& from) {
  record_last(work, from, {.title = language().steps.dot_scores, .formula = written_products(work)}, Contract{"d_k"},
              {from.queries, from.keys});
}

std::string queries_of(RecipeBuilder&, const Choice&, const Compared& from) { return from.queries; }

Score dot_score() {
  return {
      .spec = {.name = "dot",
               .summary = "q · k, the dot product (Luong et al. 2015, section 3.1)",
               .score_terms = true},
      .compose = [](RecipeBuilder& work, const Choice&, const Compared& from) { record_dot_products(work, from); },
      .multiplied = queries_of,
  };
}

}  // namespace attn
