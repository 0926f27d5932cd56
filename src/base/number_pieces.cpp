#include "base/number_pieces.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/numbers.h"
#include "base/text.h"
#include "base/utf8.h"

namespace attn {
namespace {

using Kind = NumberPiece::Kind;

constexpr int most_decimals = 400;

bool is_letter(char c) { return is_ascii_alnum(c) && !is_ascii_digit(c); }

// Signs that are written in more than one way.
struct Sign {
  std::string_view written;
  Kind kind;
};

constexpr Sign signs[] = {
    {"**", Kind::power}, {"+", Kind::plus},   {"-", Kind::minus},  {"−", Kind::minus},  {"–", Kind::minus},
    {"*", Kind::times},  {"·", Kind::times},  {"×", Kind::times},  {"⋅", Kind::times},  {"∙", Kind::times},
    {"/", Kind::divide}, {"÷", Kind::divide}, {"∕", Kind::divide}, {"⁄", Kind::divide}, {"^", Kind::power},
    {"√", Kind::root},   {"(", Kind::open},   {")", Kind::close},  {"π", Kind::name},   {"∞", Kind::infinity},
};

constexpr std::string_view blanks[] = {" ", "\t", "\r", "\n", "\u00A0", "\u2009", "\u202F"};

constexpr std::string_view superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
constexpr std::string_view superscript_minus = "⁻";

// The digit that a superscript begins with, or nothing.
std::optional<int> superscript_digit(std::string_view text) {
  const auto found = std::ranges::find_if(superscripts, [&](std::string_view one) { return text.starts_with(one); });
  if (found == std::end(superscripts)) return std::nullopt;
  return static_cast<int>(found - std::begin(superscripts));
}

std::size_t blank_at(std::string_view text) {
  if (text.empty() || (text.front() > ' ' && text.front() <= '~')) return 0;
  const auto found = std::ranges::find_if(blanks, [&](std::string_view one) { return text.starts_with(one); });
  return found == std::end(blanks) ? 0 : found->size();
}

// How many bytes are superscripts.
std::size_t superscript_size(std::string_view text) {
  std::size_t bytes = text.starts_with(superscript_minus) ? superscript_minus.size() : 0;
  while (const auto digit = superscript_digit(text.substr(bytes))) {
    bytes += superscripts[static_cast<std::size_t>(*digit)].size();
  }
  return bytes;
}

}  // namespace

NumberPiece number_piece_at(std::string_view text, std::size_t at) {
  while (const std::size_t bytes = blank_at(text.substr(at))) at += bytes;
  const std::string_view rest = text.substr(at);
  const auto piece = [&](Kind kind, std::size_t bytes) { return NumberPiece{kind, {at, at + bytes}}; };
  if (rest.empty()) return piece(Kind::end, 0);
  if (const std::size_t bytes = decimal_size(rest)) return piece(Kind::number, bytes);
  if (is_letter(rest.front())) {
    return piece(Kind::name, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin()));
  }
  for (const Sign& sign : signs) {
    if (rest.front() == sign.written.front() && rest.starts_with(sign.written))
      return piece(sign.kind, sign.written.size());
  }
  if (const std::size_t bytes = superscript_size(rest)) return piece(Kind::exponent, bytes);
  return piece(Kind::odd, code_point(text, at).bytes);
}

std::string_view without_blanks(std::string_view text) {
  while (const std::size_t bytes = blank_at(text)) text.remove_prefix(bytes);
  for (bool again = true; again;) {
    const auto ends = [&](std::string_view one) { return text.ends_with(one); };
    const auto found = std::ranges::find_if(blanks, ends);
    again = found != std::end(blanks);
    if (again) text.remove_suffix(found->size());
  }
  return text;
}

std::string help_with_odd(std::string_view text, TextRange place) {
  const std::string_view sign = text.substr(place.begin, place.end - place.begin);
  if (sign == "%") return "a percentage stands alone, or is written as a fraction: 47/100";
  if (sign == "[" || sign == "{") return "use round brackets: ( )";
  if (sign == "=" || sign == "≈" || sign == "~") return "write the number alone";
  if (sign == ":") return "a division is written /";
  if (sign == ".") return "a number has one point, with digits at it: 0.5";
  if (sign != ",") return how_numbers_are_spelled;
  // "0,47": one comma, digits about it.
  const bool is_point = std::ranges::count(text, ',') == 1 && text.find('.') == std::string_view::npos &&
                        place.begin > 0 && is_ascii_digit(text[place.begin - 1]) && place.end < text.size() &&
                        is_ascii_digit(text[place.end]);
  if (!is_point) return "decimals stand after a point, and nothing between thousands: 1234.5";
  std::string with_point = printable(without_blanks(text));
  std::ranges::replace(with_point, ',', '.');
  return "write " + shortened(with_point, 24);
}

std::optional<Decimal> decimal(std::string_view text, int shift) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  std::string_view whole = text.substr(0, point);
  const std::string_view behind = point < e ? text.substr(point + 1, e - point - 1) : "";
  while (whole.starts_with('0')) whole.remove_prefix(1);

  std::int64_t exponent = 0;
  if (e < text.size()) {
    std::string_view power = text.substr(e + 1);
    if (power.front() == '+') power.remove_prefix(1);
    const bool fits = std::from_chars(power.data(), power.data() + power.size(), exponent).ec == std::errc();
    constexpr std::int64_t beyond_doubles = 1'000'000;
    if (!fits) exponent = power.front() == '-' ? -beyond_doubles : beyond_doubles;
    exponent = std::clamp(exponent, -beyond_doubles, beyond_doubles);
  }
  exponent += shift;

  Decimal result;
  if (shift != 0 || !parse_number(text, result.value)) {
    const std::string plain = (whole.empty() ? "0" : std::string(whole)) + "." +
                              (behind.empty() ? "0" : std::string(behind)) + "e" + std::to_string(exponent);
    if (!parse_number(plain, result.value)) return std::nullopt;
  }
  const std::int64_t decimals = static_cast<std::int64_t>(behind.size()) - exponent;
  result.decimals = static_cast<int>(std::clamp<std::int64_t>(decimals, 0, most_decimals));
  return result;
}

std::optional<double> superscript_value(std::string_view text) {
  const bool is_negative = text.starts_with(superscript_minus);
  if (is_negative) text.remove_prefix(superscript_minus.size());
  if (text.empty()) return std::nullopt;
  double value = 0;
  while (const auto digit = superscript_digit(text)) {
    value = 10 * value + *digit;
    text.remove_prefix(superscripts[static_cast<std::size_t>(*digit)].size());
  }
  return is_negative ? -value : value;
}

}  // namespace attn
