#pragma once

#include <string>

#include "formats/format.h"

namespace attn {

// As a terminal shows it: the format that stands first.
inline std::string as_text(const Document& document, const FormatOptions& options = {}) {
  return written(formats().front(), document, options);
}

}  // namespace attn
