#include "mistakes/mistake.h"

namespace attn {

// Found by comparing with the steps as they are, transposed.
Family layout_family() {
  return {
      .name = "layout",
      .title = "Rows and columns",
      .mistakes =
          {
              {.id = "layout.transposed_answer",
               .kind = MistakeKind::convention,
               .what = "the numbers stand with rows and columns exchanged, which is another convention and no mistake",
               .hint = "This problem writes a token a row or a column as its inputs do; write answers the same way.",
               .example = "[[1, 3], [2, 4]] for [[1, 2], [3, 4]]"},
          },
  };
}

}  // namespace attn
