#include "formats/format.h"

namespace attn {

std::string written(const Format& format, const Document& document, const FormatOptions& options) {
  StringSink text;
  format.write(document, options, text);
  return text.take();
}

}  // namespace attn
