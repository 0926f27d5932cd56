#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {

// Found by what rounding allows, not by working everything out in another way.
Family rounding_family() {
  const MistakeWords& said = language().mistakes;
  return {said.rounding,
          {
              {"rounding.early", said.rounding_early, nullptr, MistakeKind::note},
              {"rounding.truncated", said.rounding_truncated, nullptr, MistakeKind::note},
              {"rounding.scores_rounded", said.rounding_scores_rounded, nullptr, MistakeKind::note},
          }};
}

}  // namespace attn
