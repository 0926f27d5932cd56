#include "base/utf8.h"

#include <cassert>
#include <cstdint>
#include <cstring>

namespace attn {
namespace {

bool is_shortest_and_exists(char32_t value, std::size_t bytes) {
  if (bytes == 3) return value >= 0x800 && (value < 0xD800 || value > 0xDFFF);
  if (bytes == 4) return value >= 0x10000 && value <= 0x10FFFF;
  return true;
}

}  // namespace

std::size_t utf8_length(char first) {
  const auto lead = static_cast<unsigned char>(first);
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation, or a longer form of ASCII
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

CodePoint code_point(std::string_view text, std::size_t at) {
  assert(at < text.size());
  const auto lead = static_cast<unsigned char>(text[at]);
  const CodePoint invalid{lead, 1, false};
  const std::size_t bytes = utf8_length(text[at]);
  if (bytes == 1) return {lead, 1, true};
  if (bytes == 0 || text.size() - at < bytes) return invalid;

  char32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const char next = text[at + i];
    if (!continues_utf8(next)) return invalid;
    value = (value << 6) | (static_cast<unsigned char>(next) & 0x3Fu);
  }
  return is_shortest_and_exists(value, bytes) ? CodePoint{value, bytes, true} : invalid;
}

void append_utf8(char32_t value, std::string& text) {
  if (value < 0x80) {
    text += static_cast<char>(value);
    return;
  }
  const int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
  constexpr unsigned leads[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(leads[more] | value >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (value >> (6 * i) & 0x3F));
}

std::optional<std::string> from_utf16(std::string_view text) {
  if (text.starts_with(std::string_view("\xFF\xFE\0\0", 4))) return std::nullopt;  // UTF-32
  const bool little = text.starts_with("\xFF\xFE");
  if ((!little && !text.starts_with("\xFE\xFF")) || text.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
    return static_cast<char32_t>(little ? second << 8 | first : first << 8 | second);
  };
  const auto is_surrogate = [](char32_t value, char32_t from) { return value >= from && value < from + 0x400; };
  std::string made;
  made.reserve(text.size() / 2);
  for (std::size_t at = 2; at < text.size(); at += 2) {
    char32_t value = unit(at);
    if (is_surrogate(value, 0xD800) && at + 2 < text.size() && is_surrogate(unit(at + 2), 0xDC00)) {
      value = 0x10000 + ((value - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    }
    if (value >= 0xD800 && value < 0xE000) return std::nullopt;
    append_utf8(value, made);
  }
  return made;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    // Numbers are ASCII, and most of a long text is numbers: eight bytes at a time.
    for (std::uint64_t eight = 0; text.size() - at >= sizeof eight; at += sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080) != 0) break;
    }
    if (at == text.size()) break;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint point = code_point(text, at);
    if (!point.valid) return at;
    at += point.bytes;
  }
  return std::nullopt;
}

}  // namespace attn
