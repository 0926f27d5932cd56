#include "cli/keyboard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace attn {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t longest_sequence = 32;

// What stands behind Esc.
constexpr auto sequences = std::to_array<std::pair<std::string_view, Key::Kind>>({
    {"[A", Key::Kind::up},
    {"[B", Key::Kind::down},
    {"[C", Key::Kind::right},
    {"[D", Key::Kind::left},
    {"OA", Key::Kind::up},
    {"OB", Key::Kind::down},
    {"OC", Key::Kind::right},
    {"OD", Key::Kind::left},
    {"[5~", Key::Kind::page_up},
    {"[6~", Key::Kind::page_down},
});

std::optional<Key::Kind> control(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return Key::Kind::enter;
    case '\b':
    case '\x7f':
      return Key::Kind::backspace;
    case '\x03':  // Ctrl-C
    case '\x04':  // Ctrl-D
      return Key::Kind::leave;
    case '\x1a':  // Ctrl-Z
      return Key::Kind::suspend;
    default:
      return std::nullopt;
  }
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
  const auto known =
      std::ranges::find(sequences, typed.substr(1, bytes - 1), &std::pair<std::string_view, Key::Kind>::first);
  if (known == sequences.end()) return {bytes};
  return {bytes, Key{known->second}};
}

Piece first_piece(std::string_view typed) {
  const char first = typed[0];
  if (first == escape) return piece_after_escape(typed);
  if (const auto kind = control(first)) return {1, Key{*kind}};
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
