#include "files/problem_text.h"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

namespace attn {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t widest = 110;

// On one line, a blank behind commas and colons.
void write_flat(const OrderedJson& value, std::string& text) {
  if (!value.is_structured()) {
    text += value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    return;
  }
  text += value.is_array() ? "[" : "{";
  bool is_first = true;
  for (const auto& [key, member] : value.items()) {
    if (!is_first) text += ", ";
    is_first = false;
    if (value.is_object()) text += OrderedJson(key).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + ": ";
    write_flat(member, text);
  }
  text += value.is_array() ? "]" : "}";
}

// Whether rows of numbers stand in it, one below another.
bool has_matrix(const OrderedJson& value) {
  if (!value.is_structured() || value.empty()) return false;
  if (value.is_array() && value.front().is_array() && value.size() > 1) return true;
  return std::ranges::any_of(value, has_matrix);
}

// JSON as people lay it out: what fits a line in one, and numbers of a tensor always.
void lay_out(const OrderedJson& value, std::size_t indent, std::string& text) {
  std::string flat;
  write_flat(value, flat);
  const bool is_leaf = !value.is_structured() || value.empty();
  const bool is_row = !is_leaf && value.is_array() && !value.front().is_structured();
  if (is_leaf || is_row || (flat.size() + indent <= widest && !has_matrix(value))) {
    text += flat;
    return;
  }
  const std::string inner(indent + 2, ' ');
  text += value.is_array() ? "[\n" : "{\n";
  bool is_first = true;
  for (const auto& [key, member] : value.items()) {
    if (!is_first) text += ",\n";
    is_first = false;
    text += inner;
    if (value.is_object()) text += OrderedJson(key).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + ": ";
    lay_out(member, indent + 2, text);
  }
  text += "\n" + std::string(indent, ' ') + (value.is_array() ? "]" : "}");
}

}  // namespace

std::string problem_text(const OrderedJson& json) {
  std::string text;
  lay_out(json, 0, text);
  return text + '\n';
}

}  // namespace attn
