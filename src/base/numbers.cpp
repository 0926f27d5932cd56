#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace attn {
namespace {

// 1e308 with 17 decimals fits.
using Buffer = std::array<char, 352>;

std::string_view not_finite(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

// Numbers of this many digits before the point are written out, larger ones
// with an exponent: 2^53, up to which doubles count exactly, has 16.
constexpr int most_whole_digits = 16;
constexpr int most_leading_zeros = 5;

// Digits d₁d₂d₃… that stand for d₁.d₂d₃… × 10^exponent.
std::string placed(std::string_view digits, int exponent) {
  const auto count = static_cast<int>(digits.size());
  if (exponent >= most_whole_digits || exponent < -most_leading_zeros - 1) {
    std::string text(digits.substr(0, 1));
    if (count > 1) text += "." + std::string(digits.substr(1));
    return text + "e" + std::to_string(exponent);
  }
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + std::string(digits);
  if (exponent >= count - 1)
    return std::string(digits) + std::string(static_cast<std::size_t>(exponent + 1 - count), '0');
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  return std::string(digits.substr(0, whole)) + "." + std::string(digits.substr(whole));
}

template <class Real>
std::string fewest_digits(Real value) {
  if (!std::isfinite(value)) return std::string(not_finite(value));
  if (value == 0) return "0";

  Buffer buffer;
  const Real size = std::abs(value);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), size, std::chars_format::scientific).ptr;
  const std::string_view written(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = written.find('e');

  // The exponent is written with a sign; from_chars takes a minus only.
  std::string_view power = written.substr(e + 1);
  if (power.front() == '+') power.remove_prefix(1);
  int exponent = 0;
  std::from_chars(power.data(), power.data() + power.size(), exponent);

  std::string digits(written.substr(0, 1));
  if (e > 1) digits += written.substr(2, e - 2);
  return (value < 0 ? "-" : "") + placed(digits, exponent);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Passes over digits; false where there is none.
bool skip_digits(std::string_view text, std::size_t& at) {
  const std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at > start;
}

// Whether a number that no double holds is too small rather than too large:
// its first digit that counts stands behind the point once the exponent has
// moved it. REQUIRES: spells_number(text), and a digit that is not 0.
bool is_below_the_doubles(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  const std::size_t first = text.find_first_of("123456789");

  std::int64_t exponent = 0;
  if (e < text.size()) {
    std::string_view power = text.substr(e + 1);
    if (power.front() == '+') power.remove_prefix(1);
    const bool negative = power.front() == '-';
    const auto error = std::from_chars(power.data(), power.data() + power.size(), exponent).ec;
    // An exponent that long outweighs any digits that fit into memory.
    if (error != std::errc()) return negative;
  }
  // Far more than any text has digits, and far from overflowing.
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  exponent = std::clamp(exponent, -limit, limit);
  const std::int64_t before_point =
      first < point ? static_cast<std::int64_t>(point - first) : 1 - static_cast<std::int64_t>(first - point);
  return before_point + exponent < 0;
}

}  // namespace

std::string shortest(double value) { return fewest_digits(value); }

std::string shortest(float value) { return fewest_digits(value); }

std::string fixed(double value, int decimals) {
  assert(decimals >= 0 && decimals <= 17);
  if (!std::isfinite(value)) return std::string(not_finite(value));
  Buffer buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

bool parse_natural(std::string_view text, std::size_t& value) {
  if (text.empty() || !is_digit(text.front())) return false;
  if (text.front() == '0' && text.size() > 1) return false;
  std::size_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

bool spells_number(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t whole = at;
  if (!skip_digits(text, at)) return false;
  if (text[whole] == '0' && at > whole + 1) return false;
  if (at < text.size() && text[at] == '.' && !skip_digits(text, ++at)) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!skip_digits(text, at)) return false;
  }
  return at == text.size();
}

bool parse_number(std::string_view text, double& value) {
  if (!spells_number(text)) return false;
  double parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc::result_out_of_range) {
    if (!is_below_the_doubles(text)) return false;
    parsed = text.front() == '-' ? -0.0 : 0.0;
  } else if (error != std::errc() || !std::isfinite(parsed)) {
    return false;
  }
  value = parsed;
  return true;
}

}  // namespace attn
