#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "base/text.h"

namespace attn {
namespace {

std::string_view not_finite(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

// Numbers of this many digits before the point are written out, larger ones
// with an exponent: 2^53, up to which doubles count exactly, has 16.
constexpr int most_whole_digits = 16;
// Smaller ones than this have an exponent too.
template <class Real>
constexpr Real least_without_exponent = static_cast<Real>(1e-6);

// Writes d₁.d₂d₃…e±x, as to_chars has it, as people do: zeros in place of an
// exponent that is not large. Returns the end. REQUIRES: room for 32 characters; a
// whole number, or one below least_without_exponent.
char* placed(std::string_view written, char* to) {
  const std::size_t e = written.rfind('e');
  const std::string_view rest = e > 1 ? written.substr(2, e - 2) : std::string_view();  // d₂d₃…
  int exponent = 0;
  for (const char digit : written.substr(e + 2)) exponent = 10 * exponent + (digit - '0');
  if (written[e + 1] == '-') exponent = -exponent;

  const auto put = [&](std::string_view text) { to = std::ranges::copy(text, to).out; };
  if (exponent >= most_whole_digits || exponent < 0) {
    put(written.substr(0, e + 1));
    return std::to_chars(to, to + 5, exponent).ptr;
  }
  put(written.substr(0, 1));
  put(rest);
  to = std::fill_n(to, exponent - static_cast<int>(rest.size()), '0');
  return to;
}

template <class Real>
void append_fewest_digits(Real value, std::string& text) {
  if (!std::isfinite(value)) {
    text += not_finite(value);
    return;
  }
  std::array<char, 64> buffer;
  char* const end = buffer.data() + buffer.size();
  char* to = buffer.data();
  // Whole numbers that the type counts exactly need no search for their digits.
  constexpr auto exact = static_cast<Real>(std::int64_t{1} << std::numeric_limits<Real>::digits);
  if (const Real size = std::abs(value); size < exact && std::trunc(value) == value) {
    to = std::to_chars(to, end, static_cast<std::int64_t>(value)).ptr;
  } else if (size >= least_without_exponent<Real> && size < exact) {
    if (value < 0) *to++ = '-';
    to = std::to_chars(to, end, size, std::chars_format::fixed).ptr;
  } else {
    std::array<char, 32> scientific;
    char* const most = scientific.data() + scientific.size();
    auto written = std::to_chars(scientific.data(), most, size, std::chars_format::scientific);
    // The fewest digits of one float, 7.038531e-26, lie so near the middle between two that who takes them for a double
    // first, as readers of JSON do, comes to its neighbour.
    if constexpr (std::is_same_v<Real, float>) {
      constexpr int decimals = std::numeric_limits<float>::max_digits10 - 1;
      double read = 0;
      std::from_chars(scientific.data(), written.ptr, read);
      if (static_cast<float>(read) != size)
        written = std::to_chars(scientific.data(), most, size, std::chars_format::scientific, decimals);
    }
    if (value < 0) *to++ = '-';
    to = placed({scientific.data(), written.ptr}, to);
  }
  text.append(buffer.data(), to);
}

template <class Real>
std::string fewest_digits(Real value) {
  std::string text;
  append_fewest_digits(value, text);
  return text;
}

// How many digits stand there. REQUIRES: from <= text.size().
std::size_t count_digits(std::string_view text, std::size_t from) {
  const std::string_view rest = text.substr(from);
  return static_cast<std::size_t>(std::ranges::find_if_not(rest, is_ascii_digit) - rest.begin());
}

}  // namespace

void append_shortest(double value, std::string& text) { append_fewest_digits(value, text); }

void append_shortest(float value, std::string& text) { append_fewest_digits(value, text); }

std::string shortest(double value) { return fewest_digits(value); }

std::string shortest(float value) { return fewest_digits(value); }

std::string fixed(double value, int decimals) {
  assert(decimals >= 0 && decimals <= 17);
  if (!std::isfinite(value)) return std::string(not_finite(value));
  std::array<char, 352> buffer;  // 1e308 with 17 decimals fits
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

bool parse_natural(std::string_view text, std::size_t& value) {
  if (text.empty() || !is_ascii_digit(text.front())) return false;
  if (text.front() == '0' && text.size() > 1) return false;
  std::size_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

std::size_t decimal_size(std::string_view text) {
  const std::size_t whole = count_digits(text, 0);
  std::size_t size = whole;
  if (size < text.size() && text[size] == '.') {
    const std::size_t decimals = count_digits(text, size + 1);
    if (whole + decimals > 0) size += 1 + decimals;
  }
  if (size == 0) return 0;
  if (size < text.size() && (text[size] == 'e' || text[size] == 'E')) {
    std::size_t power = size + 1;
    if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
    if (const std::size_t digits = count_digits(text, power)) size = power + digits;
  }
  return size;
}

bool spells_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text, 0);
  if (whole == 0 || (whole > 1 && text[0] == '0')) return false;
  const bool ends_in_point = whole < text.size() && text[whole] == '.' && count_digits(text, whole + 1) == 0;
  return !ends_in_point && decimal_size(text) == text.size();
}

bool parse_number(std::string_view text, double& value) {
  if (!spells_number(text)) return false;
  double parsed = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), parsed).ec;
  // Too small for a double, it is zero, and too large, an infinity; the C library says which.
  if (error == std::errc::result_out_of_range) parsed = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(parsed)) return false;
  value = parsed;
  return true;
}

}  // namespace attn
