#include "reading/json/syntax.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/text.h"
#include "base/utf8.h"
#include "reading/json/scanner.h"

namespace attn {
namespace {

using Kind = Token::Kind;

Diagnostic fault(TextRange range, std::string message, std::string help) {
  return {.code = "syntax", .where = "", .message = std::move(message), .help = std::move(help), .range = range};
}

std::string_view spelled(std::string_view text, TextRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

// What the file says there, short enough for a sentence.
std::string quoted(std::string_view spelling) { return "`" + shortened(printable(spelling), 24) + "`"; }

bool begins_value(Kind kind) {
  return kind == Kind::open_object || kind == Kind::open_list || kind == Kind::text || kind == Kind::number ||
         kind == Kind::word;
}

// --- words and numbers -----------------------------------------------------

struct Slip {
  std::string_view written, meant, help;
};

constexpr Slip slips[] = {
    {"True", "true", "JSON writes true in small letters"},
    {"TRUE", "true", "JSON writes true in small letters"},
    {"False", "false", "JSON writes false in small letters"},
    {"FALSE", "false", "JSON writes false in small letters"},
    {"None", "null", "leave the key out where there is nothing to say"},
    {"undefined", "null", "leave the key out where there is nothing to say"},
    {"NaN", "\"nan\"", "JSON has no such number; write \"nan\", with the quotes"},
    {"nan", "\"nan\"", "JSON has no such number; write \"nan\", with the quotes"},
    {"Infinity", "\"inf\"", "JSON has no such number; write \"inf\", with the quotes"},
    {"inf", "\"inf\"", "JSON has no such number; write \"inf\", with the quotes"},
    {"-Infinity", "\"-inf\"", "JSON has no such number; write \"-inf\", with the quotes"},
    {"-inf", "\"-inf\"", "JSON has no such number; write \"-inf\", with the quotes"},
};

std::optional<Diagnostic> word_fault(std::string_view text, TextRange range) {
  const std::string_view word = spelled(text, range);
  if (word == "true" || word == "false" || word == "null") return std::nullopt;
  for (const Slip& slip : slips) {
    if (slip.written == word) return fault(range, quoted(word) + " is no JSON", std::string(slip.help));
  }
  const bool called = text.substr(range.end, 1) == "(";
  const bool makes_array = word.ends_with("array") || word.ends_with("tensor") || word.ends_with("Tensor");
  if (called && makes_array) {
    return fault(range, quoted(word) + " is Python, not JSON",
                 "write the list alone, without " + printable(shortened(word, 20)) + "( ) around it: [[1, 2], [3, 4]]");
  }
  return fault(range, quoted(word) + " stands without quotes", "a text is written in double quotes: \"dot\"");
}

std::string number_help(std::string_view number) {
  if (number.front() == '+') return "a positive number has no sign";
  if (number.starts_with("0x") || number.starts_with("0X")) return "numbers are decimal";
  if (number.find('_') != std::string_view::npos) return "digits stand without _ between them";
  const std::size_t first = number.front() == '-' ? 1 : 0;
  if (number.substr(first).starts_with(".")) return "a digit stands before the point: 0.5";
  const std::size_t point = number.find('.');
  const auto is_digit_at = [&](std::size_t i) { return i < number.size() && number[i] >= '0' && number[i] <= '9'; };
  if (point != std::string_view::npos && !is_digit_at(point + 1)) return "a digit stands after the point: 1.0";
  if (number.size() > first + 1 && number[first] == '0' && is_digit_at(first + 1)) {
    return "a number does not begin with 0 unless a point follows";
  }
  return "a number is written 2, -0.5 or 1e-3";
}

std::optional<Diagnostic> number_fault(std::string_view text, TextRange range) {
  const std::string_view number = spelled(text, range);
  double value = 0;
  if (parse_number(number, value)) return std::nullopt;

  if (spells_number(number)) {
    return fault(range, quoted(number) + " is larger than any double (1.8e308)",
                 "write \"inf\" or \"-inf\", with the quotes, if infinity is meant");
  }
  return fault(range, quoted(number) + " is no number in JSON", number_help(number));
}

// --- texts -----------------------------------------------------------------

bool is_hexadecimal(std::string_view digits) {
  return digits.size() == 4 && digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Which half of a pair an escape \uXXXX is: 'h'igh, 'l'ow or none.
char half_of_pair(std::string_view escape) {
  if (escape.size() < 6 || escape.substr(0, 2) != "\\u" || (escape[2] != 'd' && escape[2] != 'D')) return ' ';
  const char c = escape[3];
  if (c == '8' || c == '9' || c == 'a' || c == 'b' || c == 'A' || c == 'B') return 'h';
  return (c >= 'c' && c <= 'f') || (c >= 'C' && c <= 'F') ? 'l' : ' ';
}

std::optional<Diagnostic> text_fault(std::string_view text, TextRange range) {
  for (std::size_t at = range.begin + 1; at + 1 < range.end; ++at) {
    if (static_cast<unsigned char>(text[at]) < 0x20) {
      return fault({at, at + 1}, "a text holds the control character " + printable(text.substr(at, 1)),
                   "in a text a tab is written \\t, a line break \\n, any other \\u001b");
    }
    if (text[at] != '\\') continue;
    const char escape = text[at + 1];
    if (escape != 'u') {
      if (std::string_view("\"\\/bfnrt").find(escape) == std::string_view::npos) {
        return fault({at, at + 2}, "a text holds the unknown escape " + quoted(text.substr(at, 2)),
                     "a backslash itself is written \\\\");
      }
      ++at;
      continue;
    }
    const std::string_view first = text.substr(at, 6);
    if (at + 6 >= range.end || !is_hexadecimal(first.substr(2))) {
      return fault({at, at + 2}, "\\u is not followed by four hexadecimal digits", "\\u00e9 is é");
    }
    const char half = half_of_pair(first);
    const bool paired = half == 'h' && at + 12 < range.end && half_of_pair(text.substr(at + 6, 6)) == 'l';
    if (half != ' ' && !paired) {
      return fault({at, at + 6}, quoted(first) + " is half of a character, and the other half is not there",
                   "write the character itself, or both halves: \\ud83d\\ude42 is 🙂");
    }
    at += paired ? 11 : 5;
  }
  return std::nullopt;
}

std::optional<Diagnostic> stray_fault(std::string_view text, TextRange range) {
  const std::string_view character = spelled(text, range);
  const std::string message = quoted(character) + " has no meaning here";
  if (character == "'")
    return fault(range, "a text begins with a single quote", "texts and keys stand in double quotes: \"key\"");
  if (character == "(" || character == ")") return fault(range, message, "lists stand in [ ]");
  if (character == "#") return fault(range, message, "a comment begins with //");
  if (character == ";") return fault(range, message, "elements are separated by commas");
  if (character == "−" || character == "–") return fault(range, message, "a minus is written -");
  if (character == "“" || character == "”" || character == "„" || character == "‘" || character == "’") {
    return fault(range, "a text stands in typographic quotes", "write straight double quotes: \"key\"");
  }
  if (character == "=") return fault(range, message, "a key is followed by a colon");
  if (character == "∞") return fault(range, message, "infinity is written \"inf\", with the quotes");
  return fault(range, message, "");
}

// What is wrong with a token wherever it stands.
std::optional<Diagnostic> token_fault(std::string_view text, const Token& token) {
  switch (token.kind) {
    case Kind::word:
      return word_fault(text, token.range);
    case Kind::number:
      return number_fault(text, token.range);
    case Kind::text:
      return text_fault(text, token.range);
    case Kind::unfinished_text:
      return fault({token.range.begin, token.range.begin + 1}, "this text has no closing quote on its line",
                   "end it with \"; a quote inside a text is written \\\", a line break \\n");
    case Kind::unfinished_comment:
      return fault({token.range.begin, token.range.begin + 2}, "this comment is never closed", "end it with */");
    case Kind::stray:
      return stray_fault(text, token.range);
    case Kind::open_object:
    case Kind::close_object:
    case Kind::open_list:
    case Kind::close_list:
    case Kind::colon:
    case Kind::comma:
    case Kind::end:
      return std::nullopt;
  }
  return std::nullopt;
}

// --- the order of tokens ---------------------------------------------------

class Grammar {
 public:
  explicit Grammar(std::string_view text) : text_(text), scanner_(text) {}

  std::optional<Diagnostic> first_fault() {
    for (;;) {
      const Token token = scanner_.next();
      auto found = wants_ == Wants::key || wants_ == Wants::key_or_end ? take_key(token)
                   : wants_ == Wants::colon                            ? take_colon(token)
                   : wants_ == Wants::comma                            ? take_comma(token)
                                                                       : take_value(token);
      if (found || token.kind == Kind::end) return found;
      previous_ = token;
    }
  }

 private:
  enum class Wants { value, value_or_end, key, key_or_end, colon, comma };

  bool closes_open(Kind kind) const {
    if (open_.empty()) return false;
    return kind == (open_.back().kind == Kind::open_object ? Kind::close_object : Kind::close_list);
  }

  std::string opened() const { return open_.back().kind == Kind::open_object ? "{" : "["; }

  void close() {
    open_.pop_back();
    wants_ = Wants::comma;
  }

  std::optional<Diagnostic> never_closed() const {
    const std::string closing = open_.back().kind == Kind::open_object ? "}" : "]";
    return fault(open_.back().range, "this " + opened() + " is never closed",
                 "the file ends where " + closing + " is missing");
  }

  std::optional<Diagnostic> take_value(const Token& token) {
    if (auto found = token_fault(text_, token)) return found;
    if (wants_ == Wants::value_or_end && closes_open(token.kind)) return close(), std::nullopt;
    if (token.kind == Kind::open_object || token.kind == Kind::open_list) {
      open_.push_back(token);
      wants_ = token.kind == Kind::open_object ? Wants::key_or_end : Wants::value_or_end;
      return std::nullopt;
    }
    if (begins_value(token.kind)) return wants_ = Wants::comma, std::nullopt;
    if (token.kind == Kind::end && open_.empty()) return nothing();
    if (token.kind == Kind::end) return never_closed();
    if (previous_.kind == Kind::comma && closes_open(token.kind)) return trailing_comma(token);
    if (previous_.kind == Kind::comma && token.kind == Kind::comma) {
      return fault(token.range, "two commas stand here with nothing between them", "");
    }
    const std::string after = previous_.kind == Kind::colon ? " after the colon" : "";
    return fault(token.range, "a value is missing" + after + " before " + quoted(spelled(text_, token.range)), "");
  }

  Diagnostic nothing() const {
    return fault({0, 0}, text_.empty() ? "the file is empty" : "the file has nothing but blanks and comments",
                 "a file holds one object, { … }");
  }

  std::optional<Diagnostic> trailing_comma(const Token& closing) const {
    return fault(previous_.range, "nothing follows this comma",
                 "take out the comma before " + std::string(spelled(text_, closing.range)));
  }

  std::optional<Diagnostic> take_key(const Token& token) {
    if (wants_ == Wants::key_or_end && closes_open(token.kind)) return close(), std::nullopt;
    if (token.kind == Kind::word) {
      return fault(token.range, "the key " + quoted(spelled(text_, token.range)) + " stands without quotes",
                   "keys stand in double quotes: \"" + shortened(printable(spelled(text_, token.range)), 24) + "\"");
    }
    if (auto found = token_fault(text_, token)) return found;
    if (token.kind == Kind::text) return wants_ = Wants::colon, std::nullopt;
    if (token.kind == Kind::end) return never_closed();
    if (previous_.kind == Kind::comma && closes_open(token.kind)) return trailing_comma(token);
    return fault(token.range, "a key is missing before " + quoted(spelled(text_, token.range)),
                 "an object is written {\"key\": value}");
  }

  std::optional<Diagnostic> take_colon(const Token& token) {
    if (token.kind == Kind::colon) return wants_ = Wants::value, std::nullopt;
    if (token.kind == Kind::end) return never_closed();
    return fault(previous_.range, "no colon follows this key", "an object is written {\"key\": value}");
  }

  std::optional<Diagnostic> take_comma(const Token& token) {
    if (open_.empty()) {
      if (token.kind == Kind::end) return std::nullopt;
      return fault(token.range, "something follows the end of the JSON value",
                   "a file holds one object, { … }, and nothing after it");
    }
    if (token.kind == Kind::comma) {
      wants_ = open_.back().kind == Kind::open_object ? Wants::key : Wants::value;
      return std::nullopt;
    }
    if (closes_open(token.kind)) return close(), std::nullopt;
    if (token.kind == Kind::end) return never_closed();
    if (token.kind == Kind::close_object || token.kind == Kind::close_list) {
      return fault(
          token.range,
          quoted(spelled(text_, token.range)) + " closes what " + quoted(opened()) + " opened" + opened_where(),
          "write " + std::string(open_.back().kind == Kind::open_object ? "}" : "]") + " there first, or take out " +
              std::string(spelled(text_, token.range)));
    }
    const bool in_list = open_.back().kind == Kind::open_list;
    if (token.kind == Kind::colon && previous_.kind == Kind::text && in_list) {
      return fault(open_.back().range,
                   "this [ is not closed before the key " + quoted(spelled(text_, previous_.range)) + " comes",
                   "write ] where the list ends");
    }
    if (begins_value(token.kind) || token.kind == Kind::unfinished_text) {
      return fault(token.range, "a comma is missing before " + quoted(spelled(text_, token.range)),
                   in_list ? "elements are separated by commas: [1, 0, 1]" : "members are separated by commas");
    }
    if (auto found = token_fault(text_, token)) return found;
    return fault(token.range, "a comma is missing before " + quoted(spelled(text_, token.range)), "");
  }

  std::string opened_where() const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(open_.back().range.begin), '\n');
    return " in line " + std::to_string(line);
  }

  std::string_view text_;
  Scanner scanner_;
  Wants wants_ = Wants::value;
  Token previous_;
  std::vector<Token> open_;
};

// Files that are no text at all, by their first bytes.
std::string known_format(std::string_view text) {
  if (text.starts_with("\x93NUMPY")) return "a numpy array (.npy)";
  if (text.starts_with("PK\x03\x04")) return "a zip archive (.npz is one)";
  if (text.starts_with("\x1f\x8b")) return "compressed with gzip";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return "UTF-16";
  return "";
}

}  // namespace

Diagnostic syntax_fault(std::string_view text, std::size_t at) {
  if (auto found = Grammar(text).first_fault()) return *found;
  const std::size_t place = std::min(at, text.size());
  return fault({place == 0 ? 0 : place - 1, place}, "this is no JSON", "");
}

std::optional<Diagnostic> encoding_fault(std::string_view text) {
  const std::size_t nul = text.find('\0');
  const std::optional<std::size_t> invalid = first_invalid_utf8(text);
  if (nul == std::string_view::npos && !invalid) return std::nullopt;

  if (const std::string format = known_format(text); !format.empty()) {
    return fault({0, 1}, "this is no JSON text: it is " + format, "write it as JSON, in UTF-8");
  }
  if (invalid && *invalid < nul) {
    return fault({*invalid, *invalid + 1}, "the byte " + printable(text.substr(*invalid, 1)) + " here is not UTF-8",
                 "save the file as UTF-8");
  }
  return fault({nul, nul + 1}, "a NUL byte stands here", "JSON is text and has none");
}

}  // namespace attn
