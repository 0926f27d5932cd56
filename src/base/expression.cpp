#include "base/expression.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/math.h"
#include "base/number_pieces.h"
#include "base/suggest.h"
#include "base/text.h"

// The grammar, loosest first; a product without a sign binds like one with it.
//
//   sum     = product { ("+" | "-") product }
//   product = signed { ("*" | "/") signed | power }
//   signed  = { "+" | "-" } power
//   power   = operand [ "^" signed ]          so that -2^2 = -4, 2^3^2 = 2^9
//   operand = number | name | "(" sum ")" | ("sqrt" | "exp" | "ln") "(" sum ")"
//           | "√" operand                     so that √3/2 is (√3)/2
//           each followed by superscripts: e²
//
// After a division a product without a sign is refused: people read 1/2√2 as
// 1/(2√2) and as (1/2)·√2.

namespace attn {
namespace {

constexpr std::size_t longest = 1000;
constexpr int deepest = 64;

constexpr double endless = std::numeric_limits<double>::infinity();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Diagnostic fault(TextRange range, std::string message, std::string help = "") {
  return {.code = "not-a-number", .where = "", .message = std::move(message), .help = std::move(help), .range = range};
}

struct Value {
  double value = 0;
  bool is_e = false;  // the number e itself: its powers are exp()
};

constexpr double e_value = 2.718281828459045;
constexpr double pi_value = 3.141592653589793;

const std::vector<std::string> known_names = {"e", "pi", "sqrt", "exp", "ln", "inf"};

// a^b by squaring: exact wherever the powers are whole numbers that doubles hold.
double whole_power(double base, std::int64_t exponent) {
  double result = 1;
  for (std::uint64_t left = static_cast<std::uint64_t>(std::abs(exponent)); left > 0; left /= 2, base *= base) {
    if (left % 2 == 1) result *= base;
  }
  return exponent < 0 ? 1 / result : result;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { advance(); }

  Result<SpelledNumber> read() {
    const Value value = sum();
    if (!failed() && now_.kind != NumberPiece::Kind::end) after_value();
    if (failed()) return *fault_;
    return SpelledNumber{value.value == 0 ? 0 : value.value, std::nullopt};
  }

 private:
  using Kind = NumberPiece::Kind;

  bool failed() const { return fault_.has_value(); }

  // The first fault counts; what is read after it only has to end.
  Value fail(TextRange range, std::string message, std::string help = "") {
    if (!failed()) fault_ = fault(range, std::move(message), std::move(help));
    now_ = {Kind::end, {text_.size(), text_.size()}};
    return {};
  }

  std::string_view spelled(TextRange range) const { return text_.substr(range.begin, range.end - range.begin); }
  std::string shown(TextRange range) const { return "\"" + shortened(printable(spelled(range)), 20) + "\""; }

  void advance() {
    before_ = now_;
    now_ = number_piece_at(text_, now_.range.end);
  }

  // Where something is missing: the piece that stands there instead, or at the
  // end the one before.
  Value missing(const std::string& what) {
    if (now_.kind == Kind::odd) return odd();
    if (now_.kind == Kind::end) return fail(before_.range, what + " is missing after " + shown(before_.range));
    return fail(now_.range, what + " is missing before " + shown(now_.range));
  }

  Value odd() {
    const std::string_view sign = spelled(now_.range);
    std::string help;
    if (sign == ",") {
      help = "decimals stand after a point, and nothing between thousands: 1234.5";
      if (comma_for_point()) help = "write " + shortened(with_point(), 24);
    }
    if (sign == "%") help = "a percentage stands alone, or is written as a fraction: 47/100";
    if (sign == "[" || sign == "{") help = "use round brackets: ( )";
    if (sign == "=" || sign == "≈" || sign == "~") help = "write the number alone";
    if (sign == ":") help = "a division is written /";
    if (sign == ".") help = "a number has one point, with digits at it: 0.5";
    return fail(now_.range, shown(now_.range) + " has no meaning in a number", help);
  }

  // "0,47": one comma, digits about it.
  bool comma_for_point() const {
    if (std::ranges::count(text_, ',') != 1 || text_.find('.') != std::string_view::npos) return false;
    const std::size_t comma = now_.range.begin;
    return comma > 0 && is_digit(text_[comma - 1]) && comma + 1 < text_.size() && is_digit(text_[comma + 1]);
  }
  std::string with_point() const {
    std::string result = printable(without_blanks(text_));
    std::ranges::replace(result, ',', '.');
    return result;
  }

  void after_value() {
    if (now_.kind == Kind::odd) {
      odd();
    } else if (now_.kind == Kind::close) {
      fail(now_.range, "\")\" closes nothing", "take it out, or open the bracket with (");
    } else if (now_.kind == Kind::infinity) {
      infinite();
    } else {
      fail(now_.range, "a sign such as + or · is missing before " + shown(now_.range));
    }
  }

  Value infinite() { return fail(now_.range, "nothing is computed with infinity", "write inf or -inf alone"); }

  // What an operation gives, if it is a number.
  Value made(double value, TextRange sign) {
    if (std::isfinite(value)) return {value};
    return fail(sign, "the result of " + shown(sign) + " is larger than any double (1.8e308)");
  }

  // Deeper, for as long as it lives.
  class Deeper {
   public:
    explicit Deeper(Reader& reader) : reader_(reader) { ++reader_.depth_; }
    ~Deeper() { --reader_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Reader& reader_;
  };

  Value sum() {
    Value left = product();
    while (now_.kind == Kind::plus || now_.kind == Kind::minus) {
      const NumberPiece sign = now_;
      advance();
      const Value right = product();
      if (failed()) return {};
      left = made(sign.kind == Kind::plus ? left.value + right.value : left.value - right.value, sign.range);
    }
    return left;
  }

  Value product() {
    Value left = signed_power();
    bool divided = false;
    for (;;) {
      if (now_.kind == Kind::times || now_.kind == Kind::divide) {
        const NumberPiece sign = now_;
        advance();
        const Value right = signed_power();
        if (failed()) return {};
        divided = sign.kind == Kind::divide;
        if (divided && right.value == 0) return fail(sign.range, "this divides by zero");
        left = made(divided ? left.value / right.value : left.value * right.value, sign.range);
      } else if (now_.kind == Kind::name || now_.kind == Kind::open || now_.kind == Kind::root) {
        if (divided) {
          return fail(now_.range, "whether " + shown(now_.range) + " is divided by too is not clear",
                      "write 1/(2√3) or (1/2)·√3");
        }
        const TextRange place = now_.range;
        const Value right = power();
        if (failed()) return {};
        left = made(left.value * right.value, place);
      } else {
        return left;
      }
    }
  }

  Value signed_power() {
    bool negative = false;
    bool is_signed = false;
    while (now_.kind == Kind::plus || now_.kind == Kind::minus) {
      is_signed = true;
      negative = negative != (now_.kind == Kind::minus);
      advance();
    }
    const Value value = power();
    return is_signed ? Value{negative ? -value.value : value.value} : value;
  }

  Value power() {
    const Value base = operand();
    if (now_.kind != Kind::power) return base;
    const Deeper deeper(*this);
    const TextRange sign = now_.range;
    if (depth_ > deepest) return too_deep(sign);
    advance();
    const Value exponent = signed_power();
    if (failed()) return {};
    return raised(base, exponent.value, sign);
  }

  Value raised(Value base, double exponent, TextRange sign) {
    if (base.is_e) return made(exp(exponent), sign);
    if (base.value == 0 && exponent < 0) return fail(sign, "a negative power of 0 divides by zero");
    if (base.value == 0 && exponent == 0) return fail(sign, "0 to the power 0 has no value");
    if (exponent == 0.5 && base.value >= 0) return {sqrt(base.value)};
    constexpr double most_multiplied = 1024;
    const bool whole = std::trunc(exponent) == exponent;
    if (whole && std::abs(exponent) <= most_multiplied) {
      return made(whole_power(base.value, static_cast<std::int64_t>(exponent)), sign);
    }
    if (base.value < 0 && !whole) return fail(sign, "a negative number has no power that is not whole");
    if (base.value == 0) return {0};
    const double size = exp(exponent * log(std::abs(base.value)));
    return made(base.value < 0 && std::fmod(exponent, 2) != 0 ? -size : size, sign);
  }

  Value too_deep(TextRange range) {
    return fail(range, "this is nested more than " + std::to_string(deepest) + " deep");
  }

  Value operand() {
    Value value = bare_operand();
    while (now_.kind == Kind::superscript && !failed()) {
      const TextRange place = now_.range;
      const std::optional<double> exponent = superscript_value(spelled(place));
      if (!exponent) return fail(place, "a digit is missing after \"⁻\"");
      if (!std::isfinite(*exponent)) return fail(place, "this power is larger than any double");
      advance();
      value = raised(value, *exponent, place);
    }
    return value;
  }

  Value bare_operand() {
    const Deeper deeper(*this);
    const NumberPiece first = now_;
    if (depth_ > deepest) return too_deep(first.range);
    switch (first.kind) {
      case Kind::number: {
        advance();
        const auto number = decimal(spelled(first.range));
        if (!number) return fail(first.range, shown(first.range) + " is larger than any double (1.8e308)");
        return {number->value};
      }
      case Kind::open:
        return bracketed();
      case Kind::root: {
        advance();
        if (now_.kind == Kind::minus) return negative_root(first.range);
        const Value of = operand();
        if (failed()) return {};
        return of.value < 0 ? negative_root(first.range) : Value{sqrt(of.value)};
      }
      case Kind::name:
        return named();
      case Kind::infinity:
        return infinite();
      case Kind::superscript:
      case Kind::plus:
      case Kind::minus:
      case Kind::times:
      case Kind::divide:
      case Kind::power:
      case Kind::close:
      case Kind::end:
      case Kind::odd:
        return missing("a number");
    }
    return {};
  }

  Value negative_root(TextRange range) { return fail(range, "a negative number has no square root"); }

  // REQUIRES: a bracket opens here.
  Value bracketed() {
    const TextRange open = now_.range;
    advance();
    const Value value = sum();
    if (failed()) return {};
    if (now_.kind == Kind::end) return fail(open, "this \"(\" is never closed");
    if (now_.kind != Kind::close) {
      after_value();
      return {};
    }
    advance();
    return value;
  }

  Value named() {
    const TextRange place = now_.range;
    const std::string_view name = spelled(place);
    if (name == "e") return advance(), Value{e_value, true};
    if (name == "pi" || name == "π") return advance(), Value{pi_value};
    if (name == "inf" || name == "infinity" || name == "Infinity") return infinite();
    if (name == "sqrt" || name == "exp" || name == "ln") return called(name, place);
    if (name == "log")
      return fail(place, "\"log\" has more than one meaning", "the natural logarithm is written ln(2)");
    if (name == "nan" || name == "NaN") return fail(place, "\"nan\" has no value");
    const std::string unknown = shown(place) + " is not known in a number";
    if (name == "x" || name == "X") return fail(place, unknown, "a product is written 2*3 or 2·3");
    const auto meant = closest(name, known_names);
    if (meant) return fail(place, unknown, "did you mean " + *meant + "?");
    return fail(place, unknown, "there are e, pi, inf, sqrt( ), exp( ), ln( )");
  }

  Value called(std::string_view name, TextRange place) {
    advance();
    if (now_.kind != Kind::open) {
      const std::string written(name);
      return fail(place, "a bracket is missing after \"" + written + "\"", "write " + written + "(3)");
    }
    const Value of = bracketed();
    if (failed()) return {};
    if (name == "exp") return made(exp(of.value), place);
    if (name == "sqrt") return of.value < 0 ? negative_root(place) : Value{sqrt(of.value)};
    if (of.value > 0) return {log(of.value)};
    return fail(place, of.value == 0 ? "0 has no logarithm" : "a negative number has no logarithm");
  }

  std::string_view text_;
  NumberPiece now_, before_;
  int depth_ = 0;
  std::optional<Diagnostic> fault_;
};

// Takes off a sign; true where it is a minus.
bool take_sign(std::string_view& text) {
  for (const std::string_view sign : {"+", "-", "−", "–"}) {
    if (!text.starts_with(sign)) continue;
    text = without_blanks(text.substr(sign.size()));
    return sign != "+";
  }
  return false;
}

// A decimal number, a percentage or an infinity, with nothing about it.
std::optional<SpelledNumber> alone(std::string_view text) {
  const bool negative = take_sign(text);
  const auto with_sign = [&](double value) { return value == 0 ? 0 : negative ? -value : value; };
  for (const std::string_view word : {"inf", "∞", "infinity", "Infinity"}) {
    if (text == word) return SpelledNumber{with_sign(endless), std::nullopt};
  }
  const std::size_t size = decimal_size(text);
  if (size == 0) return std::nullopt;
  const std::string_view after = without_blanks(text.substr(size));
  if (!after.empty() && after != "%") return std::nullopt;
  const auto number = decimal(text.substr(0, size), after == "%" ? -2 : 0);
  if (!number) return std::nullopt;
  return SpelledNumber{with_sign(number->value), number->decimals};
}

}  // namespace

Result<SpelledNumber> spelled_number(std::string_view text) {
  const TextRange whole{0, text.size()};
  if (text.size() > longest) {
    return fault(whole, "a number takes at most " + std::to_string(longest) + " bytes; these are more");
  }
  const std::string_view inner = without_blanks(text);
  if (inner.empty()) return fault(whole, "a number is missing");
  if (const auto number = alone(inner)) return *number;
  return Reader(text).read();
}

}  // namespace attn
