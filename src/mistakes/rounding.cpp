#include "mistakes/mistake.h"

namespace attn {

// Found by what rounding allows, not by working everything out in another way.
Family rounding_family() {
  return {
      .name = "rounding",
      .title = "Rounding",
      .mistakes =
          {
              {.id = "rounding.early",
               .kind = MistakeKind::note,
               .what = "rounded numbers were carried on, which moves the last digits",
               .hint = "Keep a digit or two more until the end.",
               .example = "0.3·2 + 0.7·4 for 0.333·2 + 0.667·4"},
              {.id = "rounding.truncated",
               .kind = MistakeKind::note,
               .what = "digits were cut off and not rounded",
               .hint = "Round up where the first digit left out is 5 or more.",
               .example = "0.46 for 0.468"},
              {.id = "rounding.scores_rounded",
               .kind = MistakeKind::note,
               .what = "the scores were rounded before the softmax, which moves the weights",
               .hint = "Keep a digit or two more of the scores: the exponentials make small differences larger.",
               .example = "softmax([1.2, 2.3]) for softmax([1.155, 2.309])"},
          },
  };
}

}  // namespace attn
