#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace attn {

// Other people's text as it may reach a terminal: control characters,
// bidirectional controls and bytes that are not UTF-8 become visible escapes
// ("\x1b", "\u202e"); a line break or tab becomes "\n", "\t". Everything else stays.
std::string printable(std::string_view text);

// The same, as a sentence about the text shows it: blanks and marks that nobody tells from a
// blank, or sees at all, become escapes too ("\u00a0", "\u200b").
std::string visible(std::string_view text);

// Whether a character is one of those, or steers, or joins its neighbours and is not seen.
bool is_unseen(char32_t point);

// Whether a character is one that printable() does not leave: it steers a
// terminal, breaks its lines or turns the direction of its text.
bool steers(char32_t point);

// How many terminal columns printable text takes: wide East Asian characters
// and emoji two, combining marks none, and emoji that are joined into one (a
// family, a flag) what one takes.
std::size_t display_width(std::string_view text);

// How many columns a code point takes that stands alone.
std::size_t display_width(CodePoint point);

// A character as people see one: a letter with its marks, an emoji of several
// code points.
struct Character {
  std::size_t bytes = 0;
  std::size_t width = 0;  // columns
};

// The one that begins at `at`. REQUIRES: at < text.size().
Character character(std::string_view text, std::size_t at);

// The text cut to at most `width` columns, the cut shown by "…".
std::string shortened(std::string_view text, std::size_t width);

// A pointer, or any text of a file, as a sentence shows it: short and printable.
std::string shown(std::string_view text);

// Letters and digits of ASCII, whatever the locale.
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char c) { return is_ascii_upper(c) || is_ascii_lower(c); }
constexpr bool is_ascii_alnum(char c) { return is_ascii_letter(c) || is_ascii_digit(c); }

// The text with its first letter, if that is one of ASCII, a capital.
std::string capitalised(std::string text);

// What stands between separators, and before the first; of an empty text nothing,
// and nothing behind a separator at its end.
std::vector<std::string> split(std::string_view text, char separator);

// Whether a word is among those of a text, one blank between each.
bool has_word(std::string_view text, std::string_view word);

// "1 row", "3 rows".
std::string counted(std::size_t count, std::string_view thing);

// "1.5 GiB", "2 GiB", "100 bytes".
std::string spelled_size(std::size_t bytes);

// "a, b, c"
std::string listed(const std::vector<std::string>& names);

// Of more than `most` the first, and how many others: "a", "b", "3 others".
std::vector<std::string> first_of(std::vector<std::string> names, std::size_t most);

}  // namespace attn
