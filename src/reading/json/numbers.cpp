#include <limits>
#include <utility>

#include "base/expression.h"
#include "base/json_spelling.h"
#include "reading/json/json.h"

namespace attn {
namespace {

using Kind = Token::Kind;

// Numbers that JSON cannot hold are spelled as texts, and so may all others be.
std::optional<double> number_in_text(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const Result<SpelledNumber> number = spelled_number(text);
  if (!number) return std::nullopt;
  return number.value().value;
}

// Goes through the tokens of a list of numbers, and puts the values into one run.
class NumbersReader {
 public:
  explicit NumbersReader(std::string_view list) : text_(list), scanner_(list) {}

  JsonNumbers read() {
    do {
      take(scanner_.next());
      if (!open_.empty() && !made_.odd) take_plain_numbers();
    } while (!open_.empty() && !made_.odd);
    return std::move(made_);
  }

 private:
  void take_plain_numbers() {
    while (!made_.odd) {
      const std::string_view number = scanner_.plain_number();
      if (number.empty()) return;
      add(number_spelled(number).value);
    }
  }

  void take(const Token& token) {
    const std::string_view spelling = spelled(text_, token.range);
    switch (token.kind) {
      case Kind::open_list:
        return open_list();
      case Kind::close_list:
        return close_list();
      case Kind::number:
        return add(number_spelled(spelling).value);
      case Kind::text:
        return add_text(unescaped_json(spelling));
      case Kind::word:
        if (spelling == "null") return set_odd("null", "a number");
        if (!made_.first_boolean) made_.first_boolean = open_;
        return add(spelling == "true" ? 1 : 0);
      case Kind::open_object:
        return set_odd("an object", "a number");
      default:  // a comma
        return;
    }
  }

  void set_odd(std::string what, std::string elsewhere, std::string text = "") {
    made_.odd = JsonNumbers::Odd{open_, std::move(what), std::move(elsewhere), std::move(text)};
  }

  void open_list() {
    if (depth_of_values_ != 0 && open_.size() >= depth_of_values_) return set_odd("a list", "a number");
    open_.push_back(0);
    if (open_.size() > made_.numbers.rank()) made_.numbers.open_level();
  }

  void close_list() {
    made_.numbers.finish_list(open_.size() - 1, open_.back());
    open_.pop_back();
    if (!open_.empty()) ++open_.back();
  }

  void add(double value) {
    if (made_.numbers.rank() != open_.size()) return set_odd("a number", "a list");
    depth_of_values_ = open_.size();
    made_.numbers.append(value);
    ++open_.back();
  }

  void add_text(std::string text) {
    if (const auto number = number_in_text(text)) return add(*number);
    set_odd("a text", "a number", std::move(text));
  }

  std::string_view text_;
  Scanner scanner_;
  JsonNumbers made_;
  ListPlace open_;                   // how many elements each open list has so far
  std::size_t depth_of_values_ = 0;  // 0 until the first value comes
};

}  // namespace

// The first token that is no bracket of a list.
Token JsonValue::first_leaf() const {
  Scanner scanner(spelling_);
  Token token = scanner.next();
  while (token.kind == Token::Kind::open_list || token.kind == Token::Kind::close_list ||
         token.kind == Token::Kind::comma) {
    token = scanner.next();
  }
  return token;
}

bool JsonValue::is_hollow() const { return first_leaf().kind == Token::Kind::end; }

bool JsonValue::holds_numbers() const {
  const Token leaf = first_leaf();
  const std::string_view spelling = spelled(spelling_, leaf.range);
  if (leaf.kind == Token::Kind::end) return JsonWalk(*this).next();
  if (leaf.kind == Token::Kind::text) return number_in_text(unescaped_json(spelling)).has_value();
  return leaf.kind == Token::Kind::number || spelling == "true" || spelling == "false";
}

std::optional<JsonNumbers> JsonValue::numbers() const {
  if (kind() != Kind::list || !holds_numbers()) return std::nullopt;
  return NumbersReader(spelling_).read();
}

}  // namespace attn
