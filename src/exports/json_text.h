#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace attn {

// JSON as every export writes it. Bytes that are no UTF-8 become U+FFFD, and what
// steers a terminal (DEL, the controls from U+0080, what turns the direction of
// text) is escaped, "\u202e", so that it does nothing where it is shown.
std::string compact(const nlohmann::ordered_json& json);
std::string quoted(const std::string& text);

// On one line, with the spaces that people put.
std::string spaced(const nlohmann::ordered_json& json);

// Each member of an object on a line of its own, up to the next: `  "name": value,`.
std::string members(const nlohmann::ordered_json& object, const std::string& indent);

// An array, an item a line, as the value of a member on a line so far indented.
std::string lines(const nlohmann::ordered_json& array, const std::string& indent);

// On lines of its own, indented, with a line break at the end.
std::string indented(const nlohmann::ordered_json& json);

// Indices that count from 0 as people count, and a text or, where it is empty, null.
nlohmann::ordered_json from_one(std::span<const std::size_t> indices);
nlohmann::ordered_json text_or_null(const std::string& text);

}  // namespace attn
