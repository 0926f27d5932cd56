#include "model/scores/dot.h"

#include "model/scores/score.h"

namespace attn {

void record_dot_products(Recorder& work, const std::string& queries, const std::string& keys) {
  work.step({.id = "scores",
             .symbol = "S",
             .title = "Scores: each query times each key",
             .formula = work.vectors() == Vectors::rows ? "S = Q·Kᵀ" : "S = Qᵀ·K",
             .role = Role::score},
            Contract{"d_k"}, {queries, keys});
}

Score dot_score() {
  return {
      .spec = {.name = "dot", .summary = "q · k, the dot product (Luong et al. 2015, section 3.1)"},
      .compose = [](Recorder& work, const Choice&, const std::string& queries,
                    const std::string& keys) { record_dot_products(work, queries, keys); },
  };
}

}  // namespace attn
