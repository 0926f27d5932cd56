#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_spelling.h"
#include "base/text.h"
#include "problem/faults.h"
#include "reading/json/json.h"
#include "reading/json/syntax.h"

namespace attn {
namespace {

using Kind = Token::Kind;

// Deeper nesting has no meaning in any file of ours, and recursion over it
// would need a stack as deep.
constexpr std::size_t deepest = 64;

bool begins_value(Kind kind) {
  return kind == Kind::open_object || kind == Kind::open_list || kind == Kind::text || kind == Kind::number ||
         kind == Kind::word;
}

// A list or an object that is not closed yet.
struct Open {
  Token bracket;
  JsonKeys keys;                   // of the members, up to the one that comes
  std::string_view last_key = {};  // of them
  std::size_t index = 0;           // of the element that comes, in a list

  bool is_object() const { return bracket.kind == Kind::open_object; }
  std::string opening() const { return is_object() ? "{" : "["; }
  std::string closing() const { return is_object() ? "}" : "]"; }
};

// Goes through the tokens of a text as long as they are JSON.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), scanner_(text) {}

  Result<ParsedJson> parse() {
    for (;;) {
      const Token token = scanner_.next();
      if (auto fault = taken(token)) return *fault;
      if (token.kind == Kind::end) break;
      if (previous_.kind == Kind::end) root_.begin = token.range.begin;
      root_.end = token.range.end;
      previous_ = token;
      if (wants_ == Wants::value || wants_ == Wants::value_or_end) pass_plain_numbers();
    }
    return ParsedJson{JsonValue(spelled(text_, root_)), faults_.take()};
  }

 private:
  enum class Wants { value, value_or_end, key, key_or_end, colon, comma };

  std::optional<Diagnostic> taken(const Token& token) {
    switch (wants_) {
      case Wants::key:
      case Wants::key_or_end:
        return take_key(token);
      case Wants::colon:
        return take_colon(token);
      case Wants::comma:
        return take_comma(token);
      case Wants::value:
      case Wants::value_or_end:
        break;
    }
    return take_value(token);
  }

  void pass_plain_numbers() {
    assert(!open_.empty());  // behind a token a value is wanted only in what is open
    if (open_.back().is_object()) return;
    while (!scanner_.plain_number().empty()) {
      ++open_.back().index;
      wants_ = Wants::value;
      previous_ = {Kind::comma, {scanner_.place() - 1, scanner_.place()}};
    }
  }

  bool closes_open(Kind kind) const {
    assert(!open_.empty());  // also behind a comma, which stands nowhere else
    return kind == (open_.back().is_object() ? Kind::close_object : Kind::close_list);
  }

  void close() {
    report_repeated_keys();
    open_.pop_back();
    wants_ = Wants::comma;
  }

  std::optional<Diagnostic> open(const Token& token) {
    if (open_.size() == deepest) {
      return Diagnostic{.code = "too-deep",
                        .where = "",
                        .message = "lists and objects are nested more than " + std::to_string(deepest) + " deep here",
                        .help = "no part of a file needs more than a few levels",
                        .range = token.range};
    }
    open_.push_back({.bracket = token, .keys = JsonKeys(text_)});
    wants_ = open_.back().is_object() ? Wants::key_or_end : Wants::value_or_end;
    return std::nullopt;
  }

  std::optional<Diagnostic> take_value(const Token& token) {
    if (auto found = token_fault(text_, token)) return found;
    if (wants_ == Wants::value_or_end && closes_open(token.kind)) return close(), std::nullopt;
    if (token.kind == Kind::open_object || token.kind == Kind::open_list) return open(token);
    if (begins_value(token.kind)) return wants_ = Wants::comma, std::nullopt;
    if (token.kind == Kind::end && open_.empty()) return nothing();
    if (token.kind == Kind::end) return never_closed();
    if (previous_.kind == Kind::comma && closes_open(token.kind)) return trailing_comma(token);
    if (previous_.kind == Kind::comma && token.kind == Kind::comma) {
      return syntax_fault(token.range, "two commas stand here with nothing between them",
                          "take one out, or write what stands between them");
    }
    const std::string after = previous_.kind == Kind::colon ? " after the colon" : "";
    return syntax_fault(token.range, "a value is missing" + after + " before " + shown_in_backticks(token),
                        "a value is a number, a text in double quotes, a list [ ] or an object { }");
  }

  std::optional<Diagnostic> take_key(const Token& token) {
    if (wants_ == Wants::key_or_end && closes_open(token.kind)) return close(), std::nullopt;
    if (token.kind == Kind::word) {
      const std::string_view key = spelled(text_, token.range);
      return syntax_fault(token.range, "the key " + in_backticks(key) + " stands without quotes",
                          "keys stand in double quotes: \"" + shortened(printable(key), 24) + "\"");
    }
    if (auto found = token_fault(text_, token)) return found;
    if (token.kind == Kind::text) return take_name(token), std::nullopt;
    if (token.kind == Kind::end) return never_closed();
    if (previous_.kind == Kind::comma && closes_open(token.kind)) return trailing_comma(token);
    return syntax_fault(token.range, "a key is missing before " + shown_in_backticks(token),
                        "an object is written {\"key\": value}");
  }

  void take_name(const Token& token) {
    wants_ = Wants::colon;
    open_.back().last_key = spelled(text_, token.range);
    open_.back().keys.add(open_.back().last_key);
  }

  void report_repeated_keys() {
    JsonKeys& keys = open_.back().keys;
    for (const std::uint32_t repeated : keys.repeated()) {
      faults_.add([&] {
        const std::string_view key = keys.spelling_at(repeated);
        const std::string where = pointer(place_of_open(), unescaped_json(key));
        return Diagnostic{.code = "duplicate-key",
                          .where = where,
                          .message = shown(where) + " is given twice",
                          .help = "keep one of the two",
                          .range = place_in(text_, key),
                          .at_key = true};
      });
    }
  }

  std::optional<Diagnostic> take_colon(const Token& token) {
    if (token.kind == Kind::colon) return wants_ = Wants::value, std::nullopt;
    if (token.kind == Kind::end) return never_closed();
    return syntax_fault(previous_.range, "no colon follows this key", "an object is written {\"key\": value}");
  }

  std::optional<Diagnostic> take_comma(const Token& token) {
    if (open_.empty()) {
      if (token.kind == Kind::end) return std::nullopt;
      return syntax_fault(token.range, "something follows the end of the JSON value",
                          "a file holds one object, { … }, and nothing after it");
    }
    if (token.kind == Kind::comma) {
      ++open_.back().index;
      wants_ = open_.back().is_object() ? Wants::key : Wants::value;
      return std::nullopt;
    }
    if (closes_open(token.kind)) return close(), std::nullopt;
    if (token.kind == Kind::end) return never_closed();
    if (token.kind == Kind::close_object || token.kind == Kind::close_list) return closes_another(token);
    const bool in_list = !open_.back().is_object();
    if (token.kind == Kind::colon && previous_.kind == Kind::text && in_list) {
      return syntax_fault(open_.back().bracket.range,
                          "this [ is not closed before the key " + shown_in_backticks(previous_) + " comes",
                          "write ] where the list ends");
    }
    const std::string message = "a comma is missing before " + shown_in_backticks(token);
    if (begins_value(token.kind) || token.kind == Kind::unfinished_text) {
      return syntax_fault(token.range, message,
                          in_list ? "elements are separated by commas: [1, 0, 1]" : "members are separated by commas");
    }
    if (auto found = token_fault(text_, token)) return found;
    return syntax_fault(token.range, message, "write the comma, or take out what stands here");
  }

  Diagnostic nothing() const {
    return syntax_fault({0, 0}, text_.empty() ? "the file is empty" : "the file has nothing but blanks and comments",
                        "a file holds one object, { … }");
  }

  Diagnostic never_closed() const {
    return syntax_fault(open_.back().bracket.range, "this " + open_.back().opening() + " is never closed",
                        "the file ends where " + open_.back().closing() + " is missing");
  }

  Diagnostic trailing_comma(const Token& closing) const {
    return syntax_fault(previous_.range, "nothing follows this comma",
                        "take out the comma before " + std::string(spelled(text_, closing.range)));
  }

  Diagnostic closes_another(const Token& token) const {
    const Open& open = open_.back();
    const auto line = 1 + std::ranges::count(text_.substr(0, open.bracket.range.begin), '\n');
    return syntax_fault(
        token.range,
        shown_in_backticks(token) + " closes what `" + open.opening() + "` opened in line " + std::to_string(line),
        "write " + open.closing() + " there first, or take out " + std::string(spelled(text_, token.range)));
  }

  std::string shown_in_backticks(const Token& token) const { return in_backticks(spelled(text_, token.range)); }

  // The pointer to what was opened last.
  std::string place_of_open() const {
    std::string where;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Open& open = open_[i];
      where = pointer(where, open.is_object() ? unescaped_json(open.last_key) : std::to_string(open.index));
    }
    return where;
  }

  std::string_view text_;
  Scanner scanner_;
  Wants wants_ = Wants::value;
  Token previous_;
  std::vector<Open> open_;
  TextRange root_;
  Faults faults_;
};

}  // namespace

Result<ParsedJson> parse_json(std::string_view text) {
  if (auto fault = encoding_fault(text)) return *fault;
  return Parser(text).parse();
}

}  // namespace attn
