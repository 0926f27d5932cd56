#include "explain/document.h"

namespace attn {

std::string plain(const Inline& text) {
  std::string all;
  for (const Span& span : text) all += span.text;
  return all;
}

}  // namespace attn
