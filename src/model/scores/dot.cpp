#include "model/scores/score.h"
#include "words/language.h"

namespace attn {

Score dot_score() {
  return {
      .spec = {.name = "dot",
               .summary = "q · k, the dot product (Luong et al. 2015, section 3.1)",
               .score_terms = true},
      .multiplied = queries_of,
      .title = language().steps.dot_scores,
  };
}

}  // namespace attn
