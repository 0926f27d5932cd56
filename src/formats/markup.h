#pragma once

#include <string>
#include <string_view>

namespace attn {

// Text as content or attribute value of XML and HTML: what would be markup is
// escaped, and what would steer the reader (control characters, bidirectional
// controls, bytes that are not UTF-8) is spelled out, as in a terminal.
std::string escaped_markup(std::string_view text);

}  // namespace attn
