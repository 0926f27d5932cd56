#include "cli/keyboard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace attn {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t longest_sequence = 32;

// What keys send that are no character.
constexpr auto known = std::to_array<std::pair<std::string_view, Key::Kind>>({
    {"\r", Key::Kind::enter},
    {"\n", Key::Kind::enter},
    {"\b", Key::Kind::backspace},
    {"\x7f", Key::Kind::backspace},
    {"\x03", Key::Kind::leave},    // Ctrl-C
    {"\x04", Key::Kind::leave},    // Ctrl-D
    {"\x1a", Key::Kind::suspend},  // Ctrl-Z
    {"\x1b[A", Key::Kind::up},
    {"\x1b[B", Key::Kind::down},
    {"\x1b[C", Key::Kind::right},
    {"\x1b[D", Key::Kind::left},
    {"\x1bOA", Key::Kind::up},
    {"\x1bOB", Key::Kind::down},
    {"\x1bOC", Key::Kind::right},
    {"\x1bOD", Key::Kind::left},
    {"\x1b[5~", Key::Kind::page_up},
    {"\x1b[6~", Key::Kind::page_down},
});

std::optional<Key> key_of(std::string_view bytes) {
  const auto found = std::ranges::find(known, bytes, &std::pair<std::string_view, Key::Kind>::first);
  return found == known.end() ? std::nullopt : std::optional(Key{found->second});
}

// Of those that begin with Esc: parameters stand from ' ' to '?'.
bool ends_sequence(char c) { return (c < ' ' || c > '?') && c != '\x7f'; }

// What the bytes begin with.
struct Piece {
  std::size_t bytes = 1;        // 0: more has to come
  std::optional<Key> key = {};  // none: it is passed over
};

// REQUIRES: typed[0] is Esc.
Piece piece_after_escape(std::string_view typed) {
  if (typed.size() == 1) return {0};
  if (typed[1] != '[' && typed[1] != 'O') return {1, Key{Key::Kind::escape}};
  std::size_t bytes = 2;
  while (bytes < typed.size() && bytes < longest_sequence && !ends_sequence(typed[bytes])) ++bytes;
  if (bytes == typed.size()) return {0};
  ++bytes;
  return {bytes, key_of(typed.substr(0, bytes))};
}

Piece first_piece(std::string_view typed) {
  const char first = typed[0];
  if (first == escape) return piece_after_escape(typed);
  if (const auto key = key_of(typed.substr(0, 1))) return {1, key};
  const std::size_t length = utf8_length(first);
  if (typed.size() < length && std::ranges::all_of(typed.substr(1), continues_utf8)) return {0};
  const CodePoint point = code_point(typed, 0);
  if (!point.valid || point.value < ' ') return {1};
  return {point.bytes, Key{Key::Kind::text, std::string(typed.substr(0, point.bytes))}};
}

}  // namespace

std::optional<Key> KeyReader::next(bool is_all) {
  while (!pending_.empty()) {
    Piece piece = first_piece(pending_);
    if (piece.bytes == 0) {
      if (!is_all) return std::nullopt;
      piece.bytes = pending_.size();
      if (pending_ == std::string(1, escape)) piece.key = Key{Key::Kind::escape};
    }
    pending_.erase(0, piece.bytes);
    if (piece.key) return piece.key;
  }
  return std::nullopt;
}

}  // namespace attn
