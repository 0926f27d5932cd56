#pragma once

#include <string_view>

#include "base/diagnostic.h"

namespace attn {

// A piece of JSON text, or of what somebody took for it.
struct Token {
  enum class Kind {
    open_object,
    close_object,
    open_list,
    close_list,
    colon,
    comma,
    text,             // with both quotes
    unfinished_text,  // without the closing one, up to the end of the line
    number,           // begins as one: may be misspelled
    word,             // true, None, an unquoted key
    unfinished_comment,
    stray,  // one character that begins nothing
    end,
  };
  Kind kind = Kind::end;
  TextRange range;
};

// The piece of a text that stands in a range of it.
inline std::string_view spelled(std::string_view text, TextRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

// Cuts a text into tokens; blanks, comments and a byte order mark lie between
// them. Reads any bytes whatever.
class Scanner {
 public:
  explicit Scanner(std::string_view text);

  Token next();

  // Takes a number of digits, and perhaps a point, with the comma behind it, if
  // that comes next; else an empty piece. Most of a long text is such numbers,
  // and this is the fast way over them.
  std::string_view plain_number();

  // How far it has come.
  std::size_t place() const { return at_; }

  // Passes over the rest of the list or object that the last token opened, and
  // returns where it ends.
  std::size_t skip_rest();

 private:
  bool skip_blanks();
  std::size_t behind_digits(std::size_t at) const;
  Token taken(Token::Kind kind, std::size_t end);
  Token quoted();
  Token run();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace attn
