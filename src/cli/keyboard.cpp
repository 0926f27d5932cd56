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

bool is_final(char c) { return c >= '@' && c <= '~'; }

// How many bytes a character takes that begins with this one; 0 where none does.
std::size_t length_of_character(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xC2 && byte <= 0xDF) return 2;
  if (byte >= 0xE0 && byte <= 0xEF) return 3;
  return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

}  // namespace

void KeyReader::read(std::string_view bytes) {
  for (const char c : bytes) {
    if (pending_.empty()) {
      begin(c);
    } else {
      go_on(c);
    }
  }
}

std::optional<Key> KeyReader::next() {
  if (keys_.empty()) return std::nullopt;
  Key key = std::move(keys_.front());
  keys_.pop_front();
  return key;
}

void KeyReader::settle() {
  if (pending_ == std::string(1, escape)) keys_.push_back({Key::Kind::escape});
  pending_.clear();
}

void KeyReader::begin(char c) {
  if (const auto kind = control(c)) {
    keys_.push_back({*kind});
  } else if (c == escape || length_of_character(c) > 0) {
    pending_ = c;
  } else if (c >= ' ' && c <= '~') {
    keys_.push_back({Key::Kind::text, std::string(1, c)});
  }
}

void KeyReader::go_on(char c) {
  if (pending_[0] != escape) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues) {
      pending_.clear();
      begin(c);
      return;
    }
    pending_ += c;
    if (pending_.size() < length_of_character(pending_[0])) return;
    if (code_point(pending_, 0).valid) keys_.push_back({Key::Kind::text, pending_});
    pending_.clear();
    return;
  }

  const bool begins_sequence = pending_.size() == 1 && (c == '[' || c == 'O');
  if (pending_.size() == 1 && !begins_sequence) {
    settle();
    begin(c);
    return;
  }
  pending_ += c;
  const bool is_over = !begins_sequence && (is_final(c) || c < ' ' || pending_.size() > longest_sequence);
  if (!is_over) return;
  const std::string_view rest = std::string_view(pending_).substr(1);
  const auto known = std::ranges::find(sequences, rest, &std::pair<std::string_view, Key::Kind>::first);
  if (known != sequences.end()) keys_.push_back({known->second});
  pending_.clear();
}

}  // namespace attn
