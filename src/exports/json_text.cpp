#include "exports/json_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace attn {
namespace {

std::string dumped(const nlohmann::ordered_json& json, int indent, bool in_ascii = false) {
  return json.dump(indent, ' ', in_ascii, nlohmann::ordered_json::error_handler_t::replace);
}

// What steers and is no control of ASCII: those were escaped already, or are
// line breaks between values. The rest stands within strings alone.
std::string harmless(const std::string& json) {
  if (std::ranges::all_of(json, [](char c) { return static_cast<unsigned char>(c) < 0x7F; })) return json;
  std::string text;
  for (std::size_t at = 0; at < json.size();) {
    const CodePoint point = code_point(json, at);
    std::string character = json.substr(at, point.bytes);
    if (point.value >= 0x7F && steers(point.value)) {
      const std::string escaped = dumped(character, -1, true);
      character = escaped.substr(1, escaped.size() - 2);
    }
    text += character;
    at += point.bytes;
  }
  return text;
}

}  // namespace

std::string compact(const nlohmann::ordered_json& json) { return harmless(dumped(json, -1)); }

std::string quoted(const std::string& text) { return compact(text); }

std::string spaced(const nlohmann::ordered_json& json) {
  if (!json.is_structured()) return compact(json);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += text.empty() ? "" : ", ";
    if (json.is_object()) text += quoted(name) + ": ";
    text += spaced(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string members(const nlohmann::ordered_json& object, const std::string& indent) {
  std::string text;
  for (const auto& [name, value] : object.items()) text += indent + quoted(name) + ": " + spaced(value) + ",\n";
  return text;
}

std::string lines(const nlohmann::ordered_json& array, const std::string& indent) {
  std::string text;
  for (const auto& item : array) text += (text.empty() ? "\n" : ",\n") + indent + "  " + spaced(item);
  return "[" + text + (text.empty() ? "]" : "\n" + indent + "]");
}

std::string indented(const nlohmann::ordered_json& json) { return harmless(dumped(json, 2)) + "\n"; }

nlohmann::ordered_json from_one(std::span<const std::size_t> indices) {
  auto json = nlohmann::ordered_json::array();
  for (const std::size_t i : indices) json.push_back(i + 1);
  return json;
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace attn
