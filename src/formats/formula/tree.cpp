#include "formats/formula/tree.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "formula/letters.h"

namespace attn {
namespace {

using namespace formula_letters;  // NOLINT(google-build-using-namespace)

using Kind = FormulaPart::Kind;
using Piece = FormulaPiece::Kind;

// One piece of the formula and whose it is.
struct Letter : FormulaPiece {
  std::optional<Role> role;
};

std::vector<Letter> letters_of(const Inline& text) {
  std::vector<Letter> letters;
  for (const Span& span : text) {
    const std::vector<FormulaPiece> typed =
        span.pieces.empty() ? formula_pieces(printable(span.text)) : std::vector<FormulaPiece>();
    for (const FormulaPiece& piece : span.pieces.empty() ? typed : span.pieces) letters.push_back({piece, span.role});
  }
  return letters;
}

// Puts the pieces together: what stands below, above and under a root of what.
class Builder {
 public:
  using Parts = std::vector<FormulaPart>;

  explicit Builder(std::span<const Letter> letters) : letters_(letters) {}

  Parts parts() {
    Parts parts;
    bool space = false;
    while (at_ < letters_.size()) {
      if (is(at_, Piece::space)) {
        space = !parts.empty();
        ++at_;
        continue;
      }
      if (std::exchange(space, false)) add_space(parts);
      next(parts);
    }
    return parts;
  }

 private:
  bool is(std::size_t at, Piece kind) const { return at < letters_.size() && letters_[at].kind == kind; }
  bool is_sign(std::size_t at, std::string_view sign) const { return is(at, Piece::sign) && letters_[at].text == sign; }

  // A number, a letter or a word: what can be raised, or stand under a root.
  bool is_operand(std::size_t at) const {
    return is(at, Piece::number) || is(at, Piece::letter) || is(at, Piece::word);
  }

  FormulaPart row(std::size_t begin, std::size_t end) const {
    return simplified(Builder(letters_.subspan(begin, end - begin)).parts());
  }

  // Between words, or where two things would run into each other.
  void add_space(Parts& parts) const {
    if (parts.back().kind == Kind::sign && (is_spaced(parts.back().text) || parts.back().text == "(")) return;
    if (is(at_, Piece::sign) && is_spaced(letters_[at_].text)) return;
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
    const Letter& letter = letters_[at_];
    if (letter.kind == Piece::index && !parts.empty() && is_base(parts.back())) {
      attach(Kind::subscript, index(letter), parts);
    } else if (letter.kind == Piece::lowered) {
      attach(Kind::subscript, shifted(lowered_plain), parts);
    } else if (letter.kind == Piece::raised) {
      attach(Kind::superscript, shifted(raised_plain), parts);
    } else if (is_sign(at_, "^") && can_be_raised(parts)) {
      return power(parts);
    } else if (is_sign(at_, "√")) {
      return root(parts);
    } else {
      operand(parts);
    }
    ++at_;
  }

  void operand(Parts& parts) const {
    const Letter& letter = letters_[at_];
    const bool is_word = letter.kind == Piece::word || letter.kind == Piece::index;
    if (is_word) return add_word({Kind::word, letter.text, {}, letter.role}, parts);
    const Kind kind = letter.kind == Piece::letter   ? Kind::identifier
                      : letter.kind == Piece::number ? Kind::number
                                                     : Kind::sign;
    parts.push_back({kind, letter.text, {}, letter.role});
  }

  // The letters and digits after "_".
  static FormulaPart index(const Letter& letter) {
    const std::string what = letter.text.substr(1);
    const CodePoint first = code_point(what, 0);
    const auto part = [&](Kind kind, std::string text) { return FormulaPart{kind, std::move(text), {}, letter.role}; };
    if (std::ranges::all_of(what, is_digit)) return part(Kind::number, what);
    if (first.bytes == what.size() && (is_latin(first.value) || is_greek(first.value))) {
      return part(Kind::identifier, what);
    }
    // "ij" is two indices, "model" a word.
    if (what.size() != 2 || !std::ranges::all_of(what, is_latin)) return part(Kind::word, what);
    return simplified({part(Kind::identifier, what.substr(0, 1)), part(Kind::identifier, what.substr(1))});
  }

  // The raised or lowered characters that stand here, as a formula of their own.
  FormulaPart shifted(std::string (*plain)(char32_t)) const {
    const Letter& letter = letters_[at_];
    std::string text;
    for (std::size_t at = 0; at < letter.text.size();) {
      const CodePoint point = code_point(letter.text, at);
      text += plain(point.value);
      at += point.bytes;
    }
    FormulaPart inner = simplified(Builder(letters_of({text})).parts());
    inner.role = letter.role;
    return inner;
  }

  static FormulaPart simplified(Parts parts) {
    return parts.size() == 1 ? std::move(parts[0]) : with_common_role({Kind::row, "", std::move(parts)});
  }

  // What all of its children are of is said of the whole.
  static FormulaPart with_common_role(FormulaPart whole) {
    Parts& all = whole.children;
    if (all.empty() || std::ranges::adjacent_find(all, std::not_equal_to<>(), &FormulaPart::role) != all.end()) {
      return whole;
    }
    whole.role = all[0].role;
    for (FormulaPart& child : all) child.role.reset();
    return whole;
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
    parts.push_back(with_common_role({kind, "", {std::move(base), std::move(what)}}));
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
    for (std::size_t i = at; i < letters_.size(); ++i) {
      if (is_sign(i, "(")) ++depth;
      if (is_sign(i, ")") && --depth == 0) return i + 1;
    }
    return at;
  }

  void power(Parts& parts) {
    const std::size_t start = at_ + 1;
    if (is_sign(start, "(") && closing(start) > start) {
      const std::size_t end = closing(start);
      attach(Kind::superscript, row(start + 1, end - 1), parts);
      at_ = end;
      return;
    }
    std::size_t end = start;
    if (is_sign(end, "−") || is_sign(end, "-")) ++end;
    if (!is_operand(end)) {
      operand(parts);
      ++at_;
      return;
    }
    const bool number = is(end++, Piece::number);
    while (!number && is(end, Piece::lowered)) ++end;
    if (!number && is(end, Piece::index)) ++end;
    attach(Kind::superscript, row(start, end), parts);
    at_ = end;
  }

  void root(Parts& parts) {
    const std::size_t sign = at_++;
    const bool one_role = at_ < letters_.size() && letters_[at_].role == letters_[sign].role;
    FormulaPart under;
    if (is_sign(at_, "(") && closing(at_) > at_) {
      const std::size_t end = closing(at_);
      under = row(at_ + 1, end - 1);
      at_ = end;
    } else if (is_operand(at_)) {
      Parts inner;
      do {
        next(inner);
      } while (is(at_, Piece::index) || is(at_, Piece::lowered));
      under = simplified(std::move(inner));
    } else {
      return parts.push_back({Kind::sign, letters_[sign].text, {}, letters_[sign].role});
    }
    FormulaPart whole{Kind::root, "", {std::move(under)}};
    if (one_role) whole.role = std::exchange(whole.children[0].role, std::nullopt);
    parts.push_back(std::move(whole));
  }

  std::span<const Letter> letters_;
  std::size_t at_ = 0;
};

}  // namespace

FormulaPart formula_tree(const Inline& text) { return {Kind::row, "", Builder(letters_of(text)).parts()}; }

}  // namespace attn
