#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attn {

// One character of a text in UTF-8.
struct CodePoint {
  char32_t value = 0;     // of a byte that is not UTF-8, the byte
  std::size_t bytes = 1;  // how many it takes; 1 where it is not UTF-8
  bool valid = true;
};

// The character that begins at `at`: shortest forms only, no surrogates,
// nothing beyond U+10FFFF. REQUIRES: at < text.size().
CodePoint code_point(std::string_view text, std::size_t at);

// How many bytes a character has that begins with this one; 0 where none does.
std::size_t utf8_length(char first);

// Whether a byte is not the first of its character.
constexpr bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Adds a character. REQUIRES: no surrogate, nothing beyond U+10FFFF.
void append_utf8(char32_t value, std::string& text);

// A text that begins with a byte order mark of UTF-16, in UTF-8; nothing of any other, or
// where it is no UTF-16.
std::optional<std::string> from_utf16(std::string_view text);

// Where the first byte stands that is not UTF-8, if there is one.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

}  // namespace attn
