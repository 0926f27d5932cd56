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

// Cuts a text into tokens; blanks, comments and a byte order mark lie between
// them. Reads any bytes whatever.
class Scanner {
 public:
  explicit Scanner(std::string_view text);

  Token next();

  // Passes over the rest of the list or object that the last token opened, and
  // returns where it ends.
  std::size_t skip_rest();

 private:
  bool skip_blanks();
  Token taken(Token::Kind kind, std::size_t end);
  Token quoted();
  Token run();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace attn
