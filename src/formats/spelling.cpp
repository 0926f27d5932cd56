#include "formats/spelling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"

namespace attn {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 34> spellings = {{
    {"·", "."},  {"×", "x"},  {"−", "-"},  {"√", "sqrt"}, {"Σ", "sum"}, {"→", "->"}, {"≈", "~="},
    {"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"∞", "inf"},  {"′", "'"},   {"″", "''"}, {"…", "..."},
    {"–", "-"},  {"—", "--"}, {"ᵀ", "^T"}, {"²", "^2"},   {"‘", "'"},   {"’", "'"},  {"“", "\""},
    {"”", "\""}, {"─", "-"},  {"═", "="},  {"│", "|"},    {"┼", "+"},   {"├", "+"},  {"┤", "+"},
    {"└", "+"},  {"•", "*"},  {"✗", "x"},  {"✓", "ok"},   {"↳", "^"},   {"µ", "u"},
}};

constexpr std::string_view subscript_zero = "₀";

// The digit of a subscript, or -1.
int subscript_digit(std::string_view character) {
  if (character.size() != subscript_zero.size() || character.substr(0, 2) != subscript_zero.substr(0, 2)) return -1;
  // No third byte is less than that of zero.
  const int digit = static_cast<unsigned char>(character[2]) - static_cast<unsigned char>(subscript_zero[2]);
  return digit <= 9 ? digit : -1;
}

bool is_word(char c) { return is_ascii_alnum(c) || c == '_' || c == '.'; }

// "sqrt(3)" for what follows a root sign: a word, unless it is in parentheses already.
std::string root_of(std::string_view text, std::size_t& at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end == at) return "sqrt";
  std::string root = "sqrt(" + std::string(text.substr(at, end - at)) + ")";
  at = end;
  return root;
}

}  // namespace

std::string asciified(std::string_view text) {
  std::string result;
  bool in_subscript = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    const std::string_view character = text.substr(at, point.bytes);
    at += point.bytes;
    const int digit = subscript_digit(character);
    if (digit >= 0) {
      if (!in_subscript) result += '_';
      result += static_cast<char>('0' + digit);
      in_subscript = true;
      continue;
    }
    in_subscript = false;
    if (point.valid && point.value < 0x80) {
      result += character;
      continue;
    }
    const auto known = std::ranges::find(spellings, character, &std::pair<std::string_view, std::string_view>::first);
    if (known == spellings.end()) {
      result += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(point.value));
    } else {
      result += known->first == "√" ? root_of(text, at) : std::string(known->second);
    }
  }
  return result;
}

std::string escaped_markup(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace attn
