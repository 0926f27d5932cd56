#include "base/expression.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/math.h"
#include "base/number_pieces.h"
#include "base/numbers.h"
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
constexpr char too_large[] = "write inf or -inf alone if infinity is meant";
const std::vector<std::string> known_names = {"e", "pi", "sqrt", "exp", "ln", "inf"};

Diagnostic not_a_number(TextRange range, std::string message, Help help) {
  return {.code = "not-a-number", .message = std::move(message), .help = std::move(help), .range = range};
}

struct Value {
  double value = 0;
  bool is_e = false;  // the number e itself: its powers are exp()
};

// a^b by squaring: exact wherever the powers are whole numbers that doubles hold.
double natural_power(double base, std::uint64_t exponent) {
  double result = 1;
  for (std::uint64_t left = exponent; left > 0; left /= 2, base *= base) {
    if (left % 2 == 1) result *= base;
  }
  return result;
}

double whole_power(double base, std::int64_t exponent) {
  const auto size = static_cast<std::uint64_t>(std::abs(exponent));
  const double power = natural_power(base, size);
  if (exponent >= 0) return power;
  // What is too large for a double may have an inverse that is one.
  const std::uint64_t half = size / 2;
  return std::isinf(power) ? 1 / natural_power(base, half) / natural_power(base, size - half) : 1 / power;
}

// Reads by the grammar above, a function a rule. Behind the first fault stands nothing any more: the rules end there,
// and what they give has no meaning. (A file may have a million faults, too many to throw each.)
class Reader {
 public:
  // Where nobody asks why, a fault is not put into words.
  Reader(std::string_view text, bool says_why) : text_(text), says_why_(says_why) { taken(); }

  std::optional<double> read() {
    const double value = sum().value;
    if (now_.kind != NumberPiece::Kind::end) after_value();
    if (fault_) return std::nullopt;
    return value == 0 ? 0 : value;
  }

  // REQUIRES: read() gave nothing.
  Diagnostic fault() && { return std::move(*fault_); }

 private:
  using Kind = NumberPiece::Kind;

  Value fail(TextRange range, std::string message, Help help) {
    if (!fault_) fault_ = not_a_number(range, std::move(message), std::move(help));
    now_ = {Kind::end, {text_.size(), text_.size()}};
    return {};
  }

  std::string_view spelled(TextRange range) const { return text_.substr(range.begin, range.end - range.begin); }
  std::string shown(TextRange range) const {
    return says_why_ ? "\"" + shortened(visible(spelled(range)), 20) + "\"" : std::string();
  }

  // The piece that stands here; goes on behind it.
  NumberPiece taken() {
    before_ = now_;
    now_ = number_piece_at(text_, now_.range.end);
    return before_;
  }

  bool is_at(std::initializer_list<Kind> kinds) const { return std::ranges::find(kinds, now_.kind) != kinds.end(); }

  // Where a number is missing: the piece that stands there instead, or at the
  // end the one before.
  Value missing_number() {
    if (now_.kind == Kind::odd) return odd();
    if (now_.kind == Kind::end)
      return fail(before_.range, "a number is missing after " + shown(before_.range), how_numbers_are_spelled);
    return fail(now_.range, "a number is missing before " + shown(now_.range), how_numbers_are_spelled);
  }

  Value odd() {
    return fail(now_.range, shown(now_.range) + " has no meaning in a number",
                says_why_ ? help_with_odd(text_, now_.range) : how_numbers_are_spelled);
  }

  Value after_value() {
    if (now_.kind == Kind::odd) return odd();
    if (now_.kind == Kind::infinity) return infinite(now_.range);
    if (now_.kind == Kind::close)
      return fail(now_.range, "\")\" closes nothing", "take it out, or open the bracket with (");
    return fail(now_.range, "a sign such as + or · is missing before " + shown(now_.range), "write it: 2·3, 2 + 3");
  }

  Value infinite(TextRange range) {
    return fail(range, "nothing is computed with infinity", "write inf or -inf alone");
  }

  // What an operation gives, if it is a number.
  Value made(double value, TextRange sign) {
    if (std::isfinite(value)) return {value};
    return fail(sign, "the result of " + shown(sign) + " is larger than any double (1.8e308)", too_large);
  }

  Value applied(std::string_view function, double x, TextRange place) {
    if (function == "exp") return made(exp(x), place);
    if (function == "sqrt" && x < 0)
      return fail(place, "a negative number has no square root", "check the sign below the root");
    if (function == "sqrt") return {sqrt(x)};
    if (x > 0) return {log(x)};
    return fail(place, x == 0 ? "0 has no logarithm" : "a negative number has no logarithm",
                "ln takes a number above 0");
  }

  // To be followed by --depth_.
  void go_deeper(TextRange place) {
    if (++depth_ > deepest)
      fail(place, "this is nested more than " + std::to_string(deepest) + " deep",
           "take out brackets that change nothing");
  }

  Value sum() {
    Value left = product();
    while (is_at({Kind::plus, Kind::minus})) {
      const NumberPiece sign = taken();
      const Value right = product();
      left = made(sign.kind == Kind::plus ? left.value + right.value : left.value - right.value, sign.range);
    }
    return left;
  }

  Value product() {
    Value left = signed_power();
    for (bool divided = false;;) {
      const TextRange place = now_.range;
      if (is_at({Kind::times, Kind::divide})) {
        divided = taken().kind == Kind::divide;
        const Value right = signed_power();
        if (divided && right.value == 0) return fail(place, "this divides by zero", "check what stands behind the /");
        left = made(divided ? left.value / right.value : left.value * right.value, place);
      } else if (is_at({Kind::name, Kind::open, Kind::root})) {
        if (divided) {
          return fail(place, "whether " + shown(place) + " is divided by too is not clear",
                      "write 1/(2√3) or (1/2)·√3");
        }
        left = made(left.value * power().value, place);
      } else {
        return left;
      }
    }
  }

  Value signed_power() {
    if (!is_at({Kind::plus, Kind::minus})) return power();
    bool is_negative = false;
    while (is_at({Kind::plus, Kind::minus})) is_negative = is_negative != (taken().kind == Kind::minus);
    const double size = power().value;
    return {is_negative ? -size : size};
  }

  Value power() {
    const Value base = operand();
    if (now_.kind != Kind::power) return base;
    const TextRange sign = taken().range;
    go_deeper(sign);
    const double exponent = signed_power().value;
    --depth_;
    return raised(base, exponent, sign);
  }

  Value raised(Value base, double exponent, TextRange sign) {
    if (base.is_e) return made(exp(exponent), sign);
    if (base.value == 0 && exponent < 0)
      return fail(sign, "a negative power of 0 divides by zero", "check the number and the sign of its power");
    if (base.value == 0 && exponent == 0)
      return fail(sign, "0 to the power 0 has no value", "write the number that is meant: 1, or 0");
    if (exponent == 0.5 && base.value >= 0) return {sqrt(base.value)};
    constexpr double most_multiplied = 1024;
    const bool whole = std::trunc(exponent) == exponent;
    if (whole && std::abs(exponent) <= most_multiplied) {
      return made(whole_power(base.value, static_cast<std::int64_t>(exponent)), sign);
    }
    if (base.value < 0 && !whole)
      return fail(sign, "a negative number has no power that is not whole",
                  "where the minus is of the whole power, write -(2^0.5)");
    if (base.value == 0) return {0};
    const double size = exp(exponent * log(std::abs(base.value)));
    return made(base.value < 0 && std::fmod(exponent, 2) != 0 ? -size : size, sign);
  }

  Value operand() {
    if (now_.kind == Kind::end) return missing_number();  // however deep: the end is no place to point at
    go_deeper(now_.range);
    Value value = bare_operand();
    --depth_;
    while (now_.kind == Kind::exponent) {
      const TextRange place = taken().range;
      const std::optional<double> exponent = superscript_value(spelled(place));
      if (!exponent) return fail(place, "a digit is missing after \"⁻\"", "a power is written 10⁻³");
      if (!std::isfinite(*exponent)) return fail(place, "this power is larger than any double", too_large);
      value = raised(value, *exponent, place);
    }
    return value;
  }

  Value bare_operand() {
    const TextRange place = now_.range;
    if (now_.kind == Kind::open) return bracketed();
    if (now_.kind == Kind::name) return named();
    if (now_.kind == Kind::infinity) return infinite(place);
    if (now_.kind == Kind::root) {
      taken();
      return applied("sqrt", now_.kind == Kind::minus ? -1 : operand().value, place);
    }
    if (now_.kind != Kind::number) return missing_number();
    const auto number = decimal(spelled(taken().range));
    if (!number) return fail(place, shown(place) + " is larger than any double (1.8e308)", too_large);
    return {number->value};
  }

  // REQUIRES: a bracket opens here.
  Value bracketed() {
    const TextRange open = taken().range;
    const Value value = sum();
    if (now_.kind == Kind::end) return fail(open, "this \"(\" is never closed", "write ) where the bracket ends");
    if (now_.kind != Kind::close) return after_value();
    taken();
    return value;
  }

  // REQUIRES: a name stands here.
  Value named() {
    const TextRange place = taken().range;
    const std::string_view name = spelled(place);
    if (name == "e") return {std::numbers::e, true};
    if (name == "pi" || name == "π") return {std::numbers::pi};
    if (name == "inf" || name == "infinity" || name == "Infinity") return infinite(place);
    if (name == "sqrt" || name == "exp" || name == "ln") return applied(name, argument(place), place);
    if (name == "log")
      return fail(place, "\"log\" has more than one meaning", "the natural logarithm is written ln(2)");
    if (name == "nan" || name == "NaN") return fail(place, "\"nan\" has no value", "leave out what is not known");
    const std::string unknown = shown(place) + " is not known in a number";
    if (name == "x" || name == "X") return fail(place, unknown, "a product is written 2*3 or 2·3");
    const auto meant = says_why_ ? closest(name, known_names) : std::nullopt;
    return fail(place, unknown,
                meant ? "did you mean " + *meant + "?" : "there are e, pi, inf, sqrt( ), exp( ), ln( )");
  }

  // What stands in brackets behind the name of a function.
  double argument(TextRange name) {
    if (now_.kind == Kind::open) return bracketed().value;
    const std::string written(spelled(name));
    return fail(name, "a bracket is missing after \"" + written + "\"", "write " + written + "(3)").value;
  }

  std::string_view text_;
  bool says_why_;
  std::optional<Diagnostic> fault_;
  NumberPiece now_, before_;
  int depth_ = 0;
};

// Takes off a sign; true where it is a minus. REQUIRES: a text that is not empty.
bool take_sign(std::string_view& text) {
  if (is_ascii_digit(text.front())) return false;
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
    if (text == word) return SpelledNumber{with_sign(std::numeric_limits<double>::infinity()), std::nullopt};
  }
  const std::size_t size = decimal_size(text);
  if (size == 0) return std::nullopt;
  const std::string_view after = without_blanks(text.substr(size));
  if (!after.empty() && after != "%") return std::nullopt;
  const auto number = decimal(text.substr(0, size), after == "%" ? -2 : 0);
  if (!number) return std::nullopt;
  return SpelledNumber{with_sign(number->value), number->decimals};
}

// What most numbers and most words look like, at a glance: nothing where that does not tell.
std::optional<bool> is_number_at_a_glance(std::string_view text) {
  constexpr std::size_t few = 15;
  const char first = text.front();
  if (is_ascii_letter(first) && std::string_view("epislI").find(first) == std::string_view::npos) return false;
  if (text.size() <= few && std::ranges::all_of(text, is_ascii_digit)) return true;
  return std::nullopt;
}

}  // namespace

Result<SpelledNumber> spelled_number(std::string_view text) {
  const TextRange whole{0, text.size()};
  if (text.size() > longest) {
    return not_a_number(whole, "a number takes at most " + std::to_string(longest) + " bytes; these are more",
                        "write the result, rounded");
  }
  const std::string_view inner = without_blanks(text);
  if (inner.empty()) return not_a_number(whole, "a number is missing", how_numbers_are_spelled);
  if (const auto number = alone(inner)) return *number;
  Reader reader(text, true);
  if (const auto value = reader.read()) return SpelledNumber{*value, std::nullopt};
  return std::move(reader).fault();
}

bool is_spelled_number(std::string_view text) {
  if (text.empty()) return false;
  if (const auto glance = is_number_at_a_glance(text)) return *glance;
  const std::string_view inner = without_blanks(text);
  return text.size() <= longest && !inner.empty() && (alone(inner) || Reader(text, false).read());
}

}  // namespace attn
