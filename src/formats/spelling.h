#pragma once

#include <string>
#include <string_view>

// Text where not every character may stand.

namespace attn {

// The text in ASCII alone: "k₁ = x₁·W_K" is "k_1 = x_1.W_K", "√3" is "sqrt(3)",
// lines of boxes are -, | and +. What has no such spelling is escaped: "\u{e9}".
std::string asciified(std::string_view text);

// Text as content or attribute value of XML and HTML: what would be markup is
// escaped, and what would steer the reader (control characters, bidirectional
// controls, bytes that are not UTF-8) is spelled out, as in a terminal.
std::string escaped_markup(std::string_view text);

}  // namespace attn
