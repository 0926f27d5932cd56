#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace attn {

// JSON as every export writes it. Bytes that are no UTF-8 become U+FFFD, and what
// steers a terminal (DEL, the controls from U+0080, what turns the direction of
// text) is escaped, "\u202e", so that it does nothing where it is shown.
std::string compact(const nlohmann::ordered_json& json);
std::string quoted(const std::string& text);

// On lines of its own, indented, with a line break at the end.
std::string indented(const nlohmann::ordered_json& json);

}  // namespace attn
