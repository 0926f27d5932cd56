#pragma once

#include <string>
#include <string_view>

namespace attn {

// A text as XML, and HTML, hold it, in quotes or not. Characters that steer stay: printable()
// makes them visible first.
std::string in_xml(std::string_view text);

}  // namespace attn
