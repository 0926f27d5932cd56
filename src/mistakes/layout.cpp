#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {

// Found by comparing with the steps as they are, transposed.
Family layout_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "layout",
      .title = said.layout,
      .mistakes =
          {
              {.id = "layout.transposed_answer",
               .kind = MistakeKind::convention,
               .words = said.layout_transposed_answer},
          },
  };
}

}  // namespace attn
