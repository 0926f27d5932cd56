#pragma once

#include <string_view>

#include "explain/document.h"

namespace attn {

// How wide LaTeX sets something, in points at 10 points: near enough to decide
// where lines and tables are broken, and rather too much than too little.
double latex_text_width(std::string_view text);
double latex_math_width(const Inline& formula);

}  // namespace attn
