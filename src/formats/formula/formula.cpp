#include "formats/formula/formula.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "formats/formula/letters.h"

namespace attn {
namespace {

using namespace formula_letters;  // NOLINT(google-build-using-namespace)

using Kind = FormulaPart::Kind;

// One character of the formula and whose it is.
struct Letter {
  char32_t value = 0;
  std::string text;
  std::optional<Role> role;
};

std::vector<Letter> letters_of(const Inline& text) {
  std::vector<Letter> letters;
  for (const Span& span : text) {
    const std::string safe = printable(span.text);
    for (std::size_t at = 0; at < safe.size();) {
      const CodePoint point = code_point(safe, at);
      letters.push_back({point.value, safe.substr(at, point.bytes), span.role});
      at += point.bytes;
    }
  }
  return letters;
}

class Parser {
 public:
  explicit Parser(std::vector<Letter> letters) : letters_(std::move(letters)), end_(letters_.size()) {}

  FormulaPart parse() { return {Kind::row, "", row(0, letters_.size())}; }

 private:
  using Parts = std::vector<FormulaPart>;

  char32_t look(std::size_t at) const { return at < end_ ? letters_[at].value : U'\0'; }

  std::string text(std::size_t begin, std::size_t end) const {
    std::string all;
    for (std::size_t i = begin; i < end; ++i) all += letters_[i].text;
    return all;
  }

  // A leaf of these letters.
  FormulaPart leaf(Kind kind, std::size_t begin, std::size_t end) const {
    return {kind, text(begin, end), {}, letters_[begin].role};
  }

  Parts row(std::size_t begin, std::size_t end) {
    const std::size_t outer_at = std::exchange(at_, begin);
    const std::size_t outer_end = std::exchange(end_, end);
    Parts parts;
    bool space = false;
    while (at_ < end_) {
      if (look(at_) == U' ') {
        space = !parts.empty();
        ++at_;
        continue;
      }
      if (std::exchange(space, false)) add_space(parts);
      next(parts);
    }
    at_ = outer_at;
    end_ = outer_end;
    return parts;
  }

  // Between words, or where two things would run into each other.
  void add_space(Parts& parts) const {
    if (parts.back().kind == Kind::sign && (is_spaced(parts.back().text) || parts.back().text == "(")) return;
    if (is_sign(look(at_)) && is_spaced(letters_[at_].text)) return;
    add_word({Kind::word, " "}, parts);
  }

  static void add_word(FormulaPart word, Parts& parts) {
    const bool same = !parts.empty() && parts.back().kind == Kind::word &&
                      (parts.back().role == word.role || word.text == " " || parts.back().text == " ");
    if (!same) {
      parts.push_back(std::move(word));
      return;
    }
    if (word.text != " ") parts.back().role = word.role;
    parts.back().text += word.text;
  }

  void next(Parts& parts) {
    const char32_t c = look(at_);
    if (c == U'_' && !parts.empty() && is_base(parts.back()) && index_end(at_ + 1) > at_ + 1) {
      const std::size_t end = index_end(at_ + 1);
      attach(Kind::subscript, index(at_ + 1, end), parts);
      at_ = end;
    } else if (!lowered_plain(c).empty()) {
      attach(Kind::subscript, shifted(lowered_plain), parts);
    } else if (!raised_plain(c).empty()) {
      attach(Kind::superscript, shifted(raised_plain), parts);
    } else if (c == U'^' && can_be_raised(parts)) {
      power(parts);
    } else if (c == U'√') {
      root(parts);
    } else {
      operand(parts);
    }
  }

  // A number, an identifier, a word or a sign.
  void operand(Parts& parts) {
    const char32_t c = look(at_);
    std::size_t end = at_ + 1;
    if (c == U'∞') {
      parts.push_back(leaf(Kind::number, at_, end));
    } else if (is_digit(c)) {
      end = number_end(at_);
      parts.push_back(leaf(Kind::number, at_, end));
    } else if (is_letter(c)) {
      end = word_end(at_);
      std::size_t decorated = end;
      while (is_prime(look(decorated)) || is_star(decorated)) ++decorated;
      if (end == at_ + 1 && (is_latin(c) || is_greek(c))) {
        end = decorated;
        parts.push_back(leaf(Kind::identifier, at_, end));
      } else if (text(at_, end) == "NaN") {
        parts.push_back(leaf(Kind::number, at_, end));
      } else {
        end = decorated;
        add_word(leaf(Kind::word, at_, end), parts);
      }
    } else {
      parts.push_back(leaf(Kind::sign, at_, end));
    }
    at_ = end;
  }

  // "K*", but not the product "a*b".
  bool is_star(std::size_t at) const {
    return look(at) == U'*' && !is_plain_letter(look(at + 1)) && !is_digit(look(at + 1)) && look(at + 1) != U'(';
  }

  std::size_t digits_end(std::size_t at) const {
    while (is_digit(look(at))) ++at;
    return at;
  }

  std::size_t number_end(std::size_t at) const {
    std::size_t end = digits_end(at);
    if (look(end) == U'.' && is_digit(look(end + 1))) end = digits_end(end + 1);
    if (look(end) == U'e') {
      const char32_t sign = look(end + 1);
      const std::size_t digits = end + (sign == U'+' || sign == U'-' || sign == U'−' ? 2 : 1);
      if (is_digit(look(digits))) end = digits_end(digits);
    }
    return end;
  }

  // A word may have digits, dots, hyphens and apostrophes in it. Underscores belong
  // to longer words only: "attention_weights", but d_k.
  std::size_t word_end(std::size_t at) const {
    const std::optional<Role> role = letters_[at].role;
    std::size_t end = at;
    const auto goes_on = [&](std::size_t i) { return i < end_ && letters_[i].role == role; };
    while (goes_on(end)) {
      const char32_t c = look(end);
      const bool inside = end > at + 1 && goes_on(end + 1) && is_plain_letter(look(end + 1));
      const bool joins = (c == U'.' || c == U'-' || c == U'_') && inside;
      const bool apostrophe = c == U'\'' && end > at + 1;
      if (!is_plain_letter(c) && !joins && !apostrophe && !(end > at && is_digit(c))) break;
      ++end;
    }
    return end;
  }

  static bool is_plain_letter(char32_t c) {
    return is_letter(c) && lowered_plain(c).empty() && raised_plain(c).empty() && c != U'∞';
  }

  // The letters and digits after "_".
  std::size_t index_end(std::size_t at) const {
    while (is_digit(look(at)) || is_plain_letter(look(at))) ++at;
    return at;
  }

  FormulaPart index(std::size_t begin, std::size_t end) const {
    const bool all_digits = digits_end(begin) >= end;
    if (all_digits) return leaf(Kind::number, begin, end);
    if (end - begin == 1 && (is_latin(look(begin)) || is_greek(look(begin)))) return leaf(Kind::identifier, begin, end);
    // "ij" is two indices, "model" a word.
    if (end - begin > 2 || !is_latin(look(begin)) || !is_latin(look(begin + 1))) return leaf(Kind::word, begin, end);
    return simplified({leaf(Kind::identifier, begin, begin + 1), leaf(Kind::identifier, begin + 1, end)});
  }

  // The raised or lowered characters that stand here, as a formula of their own.
  FormulaPart shifted(std::string (*plain)(char32_t)) {
    const std::optional<Role> role = letters_[at_].role;
    std::string text;
    while (at_ < end_ && !plain(look(at_)).empty()) text += plain(look(at_++));
    FormulaPart inner = simplified(Parser(letters_of({text})).parse().children);
    inner.role = role;
    return inner;
  }

  static FormulaPart simplified(Parts parts) {
    if (parts.size() == 1) return std::move(parts[0]);
    FormulaPart row{Kind::row, "", std::move(parts)};
    const bool one_role =
        std::ranges::adjacent_find(row.children, std::not_equal_to<>(), &FormulaPart::role) == row.children.end();
    if (!one_role || row.children.empty()) return row;
    row.role = row.children[0].role;
    for (FormulaPart& child : row.children) child.role.reset();
    return row;
  }

  static bool is_base(const FormulaPart& part) { return part.kind != Kind::sign && part.text != " "; }

  static bool can_be_raised(const Parts& parts) {
    return !parts.empty() && (is_base(parts.back()) || parts.back().text == ")" || parts.back().text == "]");
  }

  // Sets an index or exponent to what stands last, which may be in brackets.
  static void attach(Kind kind, FormulaPart what, Parts& parts) {
    FormulaPart base{Kind::row};
    if (can_be_raised(parts)) {
      const std::size_t begin = last_begin(parts);
      const auto from = parts.begin() + static_cast<std::ptrdiff_t>(begin);
      base = simplified({std::make_move_iterator(from), std::make_move_iterator(parts.end())});
      parts.erase(from, parts.end());
    }
    // Of several words only the last one: "row of head₁".
    const std::size_t space = base.kind == Kind::word ? base.text.rfind(' ') : std::string::npos;
    if (space != std::string::npos && space + 1 < base.text.size()) {
      parts.push_back({Kind::word, base.text.substr(0, space + 1), {}, base.role});
      base.text.erase(0, space + 1);
    }
    const bool one_role = base.role == what.role;
    FormulaPart whole{kind, "", {std::move(base), std::move(what)}};
    if (one_role) {
      whole.role = whole.children[0].role;
      for (FormulaPart& child : whole.children) child.role.reset();
    }
    parts.push_back(std::move(whole));
  }

  // Where the last thing begins: at the bracket that belongs to a closing one.
  static std::size_t last_begin(const Parts& parts) {
    std::size_t begin = parts.size() - 1;
    const auto is = [&](std::size_t i, std::string_view sign) {
      return parts[i].kind == Kind::sign && parts[i].text == sign;
    };
    const bool round = is(begin, ")");
    if (!round && !is(begin, "]")) return begin;
    std::size_t depth = 0;
    for (std::size_t i = parts.size(); i-- > 0;) {
      if (is(i, round ? ")" : "]")) ++depth;
      if (is(i, round ? "(" : "[") && --depth == 0) return i;
    }
    return begin;
  }

  // Behind the parenthesis that closes the one at `at`; `at` where none does.
  std::size_t closing(std::size_t at) const {
    std::size_t depth = 0;
    for (std::size_t i = at; i < end_; ++i) {
      if (look(i) == U'(') ++depth;
      if (look(i) == U')' && --depth == 0) return i + 1;
    }
    return at;
  }

  void power(Parts& parts) {
    const std::size_t start = at_ + 1;
    if (look(start) == U'(' && closing(start) > start) {
      const std::size_t end = closing(start);
      FormulaPart exponent = simplified(row(start + 1, end - 1));
      attach(Kind::superscript, std::move(exponent), parts);
      at_ = end;
      return;
    }
    std::size_t end = start;
    if (look(end) == U'−' || look(end) == U'-') ++end;
    if (look(end) == U'∞') {
      ++end;
    } else if (is_digit(look(end))) {
      end = number_end(end);
    } else if (is_plain_letter(look(end))) {
      end = word_end(end);
      while (!lowered_plain(look(end)).empty()) ++end;
      if (look(end) == U'_' && index_end(end + 1) > end + 1) end = index_end(end + 1);
    } else {
      parts.push_back(leaf(Kind::sign, at_, at_ + 1));
      ++at_;
      return;
    }
    attach(Kind::superscript, simplified(row(start, end)), parts);
    at_ = end;
  }

  void root(Parts& parts) {
    const std::size_t sign = at_;
    const std::size_t start = at_ + 1;
    const bool one_role = start < end_ && letters_[start].role == letters_[sign].role;
    FormulaPart under;
    if (look(start) == U'(' && closing(start) > start) {
      const std::size_t end = closing(start);
      under = simplified(row(start + 1, end - 1));
      at_ = end;
    } else if (is_digit(look(start)) || is_plain_letter(look(start))) {
      at_ = start;
      Parts inner;
      operand(inner);
      while (look(at_) == U'_' || !lowered_plain(look(at_)).empty()) {
        const std::size_t before = at_;
        next(inner);
        if (at_ == before + 1 && look(before) == U'_') break;
      }
      under = simplified(std::move(inner));
    } else {
      parts.push_back(leaf(Kind::sign, sign, start));
      at_ = start;
      return;
    }
    FormulaPart whole{Kind::root, "", {std::move(under)}};
    if (one_role) whole.role = std::exchange(whole.children[0].role, std::nullopt);
    parts.push_back(std::move(whole));
  }

  std::vector<Letter> letters_;
  std::size_t at_ = 0;
  std::size_t end_;
};

}  // namespace

FormulaPart parse_formula(const Inline& text) { return Parser(letters_of(text)).parse(); }

FormulaPart parse_formula(std::string_view text) { return parse_formula(Inline{std::string(text)}); }

}  // namespace attn
