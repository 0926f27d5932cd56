#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace attn {

// Faults as people read them: file, line and column (counted in characters,
// from 1), what is wrong, the line with a caret under the place, what to do.
// In the order of the text, at most 20. No control character of the file, of
// its name or of a message is left. Nothing is printed.
//
// An empty text says that there is no text to point into.
std::string report(const Diagnostics& faults, std::string_view text, std::string_view file, bool color = false);

}  // namespace attn
