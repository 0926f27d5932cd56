#pragma once

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace attn {

// What a character of mathematics is in math mode ("\\times"), and what one is
// that means something to TeX there ("\\_"); "" for all others.
std::string_view latex_mathematics(char32_t value);
std::string_view latex_special(char32_t value);

// A character as running text; `character` is its UTF-8.
std::string latex_character(const CodePoint& point, std::string_view character);

}  // namespace attn
