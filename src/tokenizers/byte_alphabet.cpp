#include "tokenizers/byte_alphabet.h"

#include <array>
#include <cstddef>

#include "base/utf8.h"

namespace attn {
namespace {

constexpr std::array<char32_t, 256> alphabet = [] {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool is_itself = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    characters[byte] = is_itself ? byte : next++;
  }
  return characters;
}();

constexpr std::array<int, 0x100 + 68> bytes_of = [] {
  std::array<int, 0x100 + 68> bytes{};
  bytes.fill(-1);
  for (unsigned byte = 0; byte < 256; ++byte) bytes[alphabet[byte]] = static_cast<int>(byte);
  return bytes;
}();

}  // namespace

std::string in_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) append_utf8(alphabet[static_cast<unsigned char>(c)], text);
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    if (point.value >= bytes_of.size() || bytes_of[point.value] < 0) return std::nullopt;
    bytes += static_cast<char>(bytes_of[point.value]);
    at += point.bytes;
  }
  return bytes;
}

}  // namespace attn
