#include "base/json_spelling.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/utf8.h"

namespace attn {
namespace {

// The four hexadecimal digits of an escape.
char32_t code_unit(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + 4, value, 16);
  return value;
}

// Adds what an escape stands for, and returns how many bytes it takes.
std::size_t append_escaped(std::string_view escape, std::string& text) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (escape[1] != 'u') {
    text += meant[letters.find(escape[1])];
    return 2;
  }
  const char32_t unit = code_unit(escape.substr(2));
  const bool is_half = unit >= 0xD800 && unit < 0xDC00;
  append_utf8(is_half ? 0x10000 + ((unit - 0xD800) << 10) + (code_unit(escape.substr(8)) - 0xDC00) : unit, text);
  return is_half ? 12 : 6;
}

}  // namespace

std::size_t end_of_json_text(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

std::string unescaped_json(std::string_view spelling) {
  const std::string_view inside = spelling.substr(1, spelling.size() - 2);
  std::string text;
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t escape = std::min(inside.find('\\', at), inside.size());
    text += inside.substr(at, escape - at);
    at = escape;
    if (at < inside.size()) at += append_escaped(inside.substr(at), text);
  }
  return text;
}

void JsonKeys::add(std::string_view spelling) {
  const auto place = static_cast<std::uint32_t>(spelling.data() - text_.data());
  const bool is_plain = spelling.find('\\') == std::string_view::npos;
  keys_.add(is_plain ? short_hash(spelling.substr(1, spelling.size() - 2)) : short_hash(unescaped_json(spelling)),
            place);
}

std::vector<std::uint32_t> JsonKeys::repeated() {
  std::vector<std::uint32_t> places;
  keys_.put_in_order([&](std::uint32_t place) { return unescaped_json(spelling_at(place)); },
                     [&](std::uint32_t place) { places.push_back(place); });
  std::ranges::sort(places);
  return places;
}

std::string_view JsonKeys::spelling_at(std::uint32_t place) const {
  return text_.substr(place, end_of_json_text(text_, place) - place);
}

std::string pointer_step(std::string_view key) {
  std::string result;
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace attn
