#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {

// Found by what rounding allows, not by working everything out in another way.
Family rounding_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "rounding",
      .title = said.rounding,
      .mistakes =
          {
              {.id = "rounding.early", .kind = MistakeKind::note, .words = said.rounding_early},
              {.id = "rounding.truncated", .kind = MistakeKind::note, .words = said.rounding_truncated},
              {.id = "rounding.scores_rounded", .kind = MistakeKind::note, .words = said.rounding_scores_rounded},
          },
  };
}

}  // namespace attn
