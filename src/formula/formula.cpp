#include "formula/formula.h"

#include <cassert>
#include <cstdlib>

#include "base/utf8.h"
#include "formula/letters.h"

namespace attn {
namespace {

using namespace formula_letters;  // NOLINT(google-build-using-namespace)

using Kind = FormulaPiece::Kind;

// Reads the notation from left to right; a piece begins where the last one ended.
class Notation {
 public:
  Notation(std::string_view text, bool has_places) : text_(text), has_places_(has_places) {
    letters_.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = code_point(text, at);
      letters_.push_back({point.value, at});
      at += point.bytes;
    }
    letters_.push_back({U'\0', text.size()});
  }

  std::vector<FormulaPiece> pieces() {
    std::vector<FormulaPiece> all;
    for (std::size_t at = 0; at + 1 < letters_.size();) {
      const bool follows = !all.empty() && all.back().kind != Kind::sign && all.back().kind != Kind::space;
      const auto [kind, end] = piece(at, follows);
      all.push_back({kind, std::string(text(at, end))});
      at = end;
    }
    return all;
  }

 private:
  struct Letter {
    char32_t value;
    std::size_t begin;  // its first byte
  };
  struct Found {
    Kind kind;
    std::size_t end;
  };

  Found piece(std::size_t at, bool follows) const {
    const char32_t c = look(at);
    if (c == U' ') return {Kind::space, while_at(at, [](char32_t of) { return of == U' '; })};
    if (c == U'{' && has_places_) {
      const std::size_t end = while_at(at + 1, is_digit);
      if (look(end) == U'}') return {Kind::place, end + 1};
    }
    if (c == U'_' && follows) {
      const std::size_t end = while_at(at + 1, [](char32_t of) { return is_digit(of) || is_plain_letter(of); });
      if (end > at + 1) return {Kind::index, end};
    }
    if (!lowered_plain(c).empty()) {
      return {Kind::lowered, while_at(at, [](char32_t of) { return !lowered_plain(of).empty(); })};
    }
    if (!raised_plain(c).empty()) {
      return {Kind::raised, while_at(at, [](char32_t of) { return !raised_plain(of).empty(); })};
    }
    if (c == U'∞') return {Kind::number, at + 1};
    if (is_digit(c)) return {Kind::number, number_end(at)};
    return is_letter(c) ? word(at) : Found{Kind::sign, at + 1};
  }

  Found word(std::size_t at) const {
    const std::size_t end = word_end(at);
    if (text(at, end) == "NaN") return {Kind::number, end};
    std::size_t decorated = end;
    while (is_prime(look(decorated)) || is_star(decorated)) ++decorated;
    const bool single = end == at + 1 && (is_latin(look(at)) || is_greek(look(at)));
    return {single ? Kind::letter : Kind::word, decorated};
  }

  // "K*", but not the product "a*b".
  bool is_star(std::size_t at) const {
    return look(at) == U'*' && !is_plain_letter(look(at + 1)) && !is_digit(look(at + 1)) && look(at + 1) != U'(';
  }

  std::size_t number_end(std::size_t at) const {
    std::size_t end = while_at(at, is_digit);
    if (look(end) == U'.' && is_digit(look(end + 1))) end = while_at(end + 1, is_digit);
    if (look(end) == U'e') {
      const char32_t sign = look(end + 1);
      const std::size_t digits = end + (sign == U'+' || sign == U'-' || sign == U'−' ? 2 : 1);
      if (is_digit(look(digits))) end = while_at(digits, is_digit);
    }
    return end;
  }

  // A word may have digits, dots, hyphens and apostrophes in it. Underscores belong
  // to longer words only: "attention_weights", but d_k. REQUIRES: a letter stands there.
  std::size_t word_end(std::size_t at) const {
    std::size_t end = at;
    while (true) {
      const char32_t c = look(end);
      const bool inside = end > at + 1 && is_plain_letter(look(end + 1));
      const bool joins = (c == U'.' || c == U'-' || c == U'_') && inside;
      const bool apostrophe = c == U'\'' && end > at + 1;
      if (!is_plain_letter(c) && !joins && !apostrophe && !is_digit(c)) return end;
      ++end;
    }
  }

  static bool is_plain_letter(char32_t c) {
    return is_letter(c) && lowered_plain(c).empty() && raised_plain(c).empty();
  }

  template <class Is>
  std::size_t while_at(std::size_t at, Is is) const {
    while (at + 1 < letters_.size() && is(look(at))) ++at;
    return at;
  }

  char32_t look(std::size_t at) const { return at < letters_.size() ? letters_[at].value : U'\0'; }

  std::string_view text(std::size_t begin, std::size_t end) const {
    return text_.substr(letters_[begin].begin, letters_[end].begin - letters_[begin].begin);
  }

  std::string_view text_;
  std::vector<Letter> letters_;
  bool has_places_;
};

}  // namespace

Formula::Formula(std::string_view notation) : pieces_(Notation(notation, true).pieces()) {}

std::string Formula::text() const {
  std::string all;
  for (const FormulaPiece& piece : pieces_) all += piece.text;
  return all;
}

Formula& Formula::operator+=(const Formula& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
  return *this;
}

Formula Formula::standing_for(const std::string& id) const {
  Formula symbol = *this;
  for (FormulaPiece& piece : symbol.pieces_) piece.of = id;
  return symbol;
}

Formula Formula::with(const Formula& own, std::span<const Formula> operands) const {
  Formula filled;
  for (const FormulaPiece& piece : pieces_) {
    if (piece.kind != Kind::place) {
      filled.pieces_.push_back(piece);
    } else if (piece.text == "{}") {
      filled += own;
    } else {
      const auto operand = static_cast<std::size_t>(std::atoi(piece.text.c_str() + 1));
      assert(operand < operands.size());
      filled += operands[operand];
    }
  }
  return filled;
}

std::string places(std::size_t first, std::size_t count, std::string_view sign) {
  std::string all;
  for (std::size_t i = first; i < first + count; ++i) {
    if (i > first) all += sign;
    all += "{" + std::to_string(i) + "}";
  }
  return all;
}

std::vector<FormulaPiece> formula_pieces(std::string_view typed) { return Notation(typed, false).pieces(); }

}  // namespace attn
