#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "explain/document.h"

namespace attn {

// A formula as LaTeX for math mode, with amsmath and amssymb; no text of it can
// end the formula or run a command. Also what MathJax and KaTeX read.
std::string latex_math(std::string_view formula);

// The same with the colours of roles: \attnquery{q_{1}}, where `coloured`.
// Coloured formulas are for LaTeX itself, and need the macros of latex_macros().
std::string latex_math(const Inline& formula, bool coloured);

// The same within running text, between "$"; nothing where there is no formula.
std::string latex_inline_math(const Inline& formula);

// Running text as LaTeX: other people's text stays text. Needs latex_macros().
std::string latex_text(std::string_view text);

// LaTeX in the colour of a role, where it has one: \attnquery{…}.
std::string latex_coloured(const std::optional<Role>& role, const std::string& latex);

// What a character of mathematics is in math mode ("\\times"), or one that means
// something to TeX there ("\\_"); "" for all others.
std::string_view latex_mathematics(char32_t value);

// A character as running text; `character` is its UTF-8.
std::string latex_character(const CodePoint& point, std::string_view character);

// How wide LaTeX sets something, in points at 10 points: near enough to decide
// where lines and tables are broken, and rather too much than too little.
double latex_text_width(std::string_view text);
double latex_math_width(const Inline& formula);

}  // namespace attn
