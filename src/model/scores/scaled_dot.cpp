#include "model/scores/score.h"
#include "words/language.h"

namespace attn {

Score scaled_dot_score() {
  return {
      .spec = {.name = "scaled_dot",
               .summary = "q · k / √d_k, the scaled dot product (Vaswani et al. 2017, section 3.2.1)",
               .score_terms = true},
      .divided_by_root_width = true,
      .multiplied = queries_of,
      .title = language().steps.dot_scores,
  };
}

}  // namespace attn
