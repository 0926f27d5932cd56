#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attn {

// What somebody pressed.
struct Key {
  enum class Kind { text, enter, backspace, escape, left, right, up, down, page_up, page_down, leave, suspend };

  Kind kind = Kind::text;
  std::string text = {};  // the character, where it is one

  bool operator==(const Key&) const = default;
  bool is(char c) const { return kind == Kind::text && text.size() == 1 && text[0] == c; }
};

// Turns what a terminal sends into keys. Arrows and the like come as several
// bytes that begin with the one that Esc sends alone.
class KeyReader {
 public:
  void read(std::string_view bytes) { pending_ += bytes; }

  // The next key, if one is complete. With `is_all` nothing more comes: an Esc was Esc.
  std::optional<Key> next(bool is_all = false);

  // After next() found none: whether more has to come before it is known what was pressed.
  bool is_unsure() const { return !pending_.empty(); }

 private:
  std::string pending_;
};

}  // namespace attn
