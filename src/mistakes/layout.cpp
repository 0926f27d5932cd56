#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {

// Found by comparing with the steps as they are, transposed.
Family layout_family() {
  const MistakeWords& said = language().mistakes;
  return {said.layout,
          {
              {"layout.transposed_answer", said.layout_transposed_answer, nullptr, MistakeKind::convention},
          }};
}

}  // namespace attn
