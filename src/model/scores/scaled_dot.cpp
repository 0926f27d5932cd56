#include "model/scores/dot.h"
#include "model/scores/score.h"

namespace attn {

Score scaled_dot_score() {
  return {
      .spec = {.name = "scaled_dot",
               .summary = "q · k / √d_k, the scaled dot product (Vaswani et al. 2017, section 3.2.1)"},
      .divided_by_root_width = true,
      .compose = [](Recorder& work, const Choice&, const std::string& queries,
                    const std::string& keys) { record_dot_products(work, queries, keys); },
  };
}

}  // namespace attn
