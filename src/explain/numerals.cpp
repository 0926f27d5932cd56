#include "explain/numerals.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "base/numbers.h"
#include "trace/trace.h"

namespace attn {
namespace {

// From here on plain digits are hard to read.
constexpr double too_large = 1e9;

// Plain digits may have so many more decimals than numbers have else, and so many at all.
constexpr int most_extra_decimals = 4;
constexpr int most_decimals = 17;

std::string digits_of(double value, NumberFormat format) {
  if (format.scientific && value != 0) return fmt::format("{:.{}e}", value, format.decimals);
  return fixed(value, format.scientific ? 0 : format.decimals);
}

// What a reader takes the number for. REQUIRES: it is finite.
double read_back(double value, NumberFormat format) {
  double read = 0;
  parse_number(digits_of(value, format), read);
  return read;
}

// The first two digits that are not 0; one where that says all of it.
NumberFormat two_digits(double value, int most_places) {
  const std::string digits = fmt::format("{:.1e}", std::abs(value));  // "6.1e-06"
  int place = 0;                                                      // of the first, behind the point
  std::from_chars(digits.data() + digits.find('e') + 2, digits.data() + digits.size(), place);
  if (place >= most_places) return {1, true};
  return {read_back(value, {place}) == value ? place : place + 1, false};
}

}  // namespace

int decimals_shown(std::optional<int> precision) { return std::clamp(precision.value_or(4), 0, most_decimals); }

std::string written(double value, NumberFormat format, bool closed) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (closed && value == 0) return "0";
  std::string digits = digits_of(value, format);
  if (digits.starts_with('-')) digits.replace(0, 1, "−");
  return digits;
}

// An f32 is shown as the decimal that it stands for. What bf16 and f16 make of a
// decimal is too far from it for that, and is shown as it is.
Numerals::Numerals(int precision, Dtype dtype, Tiny tiny)
    : precision_(precision), dtype_(dtype), tolerance_(dtype == Dtype::f32 ? 1e-6 : 1e-12), tiny_(tiny) {}

Numerals::Numerals(int precision, const Trace& trace, Tiny tiny) : Numerals(precision, trace.arithmetic.dtype, tiny) {
  if (!trace.arithmetic.hand_rounding) return;
  const int decimals = std::min(trace.arithmetic.hand_rounding->decimals, precision);
  for (const Step& step : trace.steps) {
    const auto numbers = step.result.data();
    const bool whole = std::ranges::all_of(numbers, [](double n) { return n == std::floor(n); });
    // The inner lines of softmax are not rounded.
    const bool rounded =
        std::ranges::all_of(numbers, [&](double n) { return !std::isfinite(n) || same(read_back(n, {decimals}), n); });
    if (!whole && rounded) by_hand_.emplace(step.heading.id, decimals);
  }
}

int Numerals::decimals_of(std::string_view id) const {
  const auto found = by_hand_.find(id);
  return found == by_hand_.end() ? 0 : found->second;
}

bool Numerals::same(double a, double b) const {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  if (a == std::floor(a) && b == std::floor(b)) return a == b;
  return std::abs(a - b) <= tolerance_ * std::max(std::abs(a), std::abs(b));
}

// Digits that were asked for are not left out as the last ones of the dtype: of an f32, where it is another number.
bool Numerals::suffices(NumberFormat format, double value) const {
  const double read = read_back(value, format);
  if (read == value || (dtype_ == Dtype::f32 && static_cast<float>(read) == static_cast<float>(value))) return true;
  return same(read, value) && digits_of(read, {precision_}) == digits_of(value, {precision_});
}

int Numerals::decimals_needed(double value) const {
  if (value == std::floor(value)) return 0;
  if (!suffices({precision_}, value)) return precision_ + 1;
  int decimals = 0;
  while (!suffices({decimals}, value)) ++decimals;
  return decimals;
}

NumberFormat Numerals::format(std::span<const double> numbers, int at_least) const {
  double largest = 0;
  int needed = 0;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    largest = std::max(largest, std::abs(number));
    if (std::abs(number) < too_large && needed <= precision_) needed = std::max(needed, decimals_needed(number));
  }
  const bool all_too_small = largest > 0 && read_back(largest, {precision_}) == 0;
  if (largest >= too_large || all_too_small) return {std::max(precision_, 1), true};
  return {std::min(std::max(needed, at_least), precision_), false};
}

NumberFormat Numerals::line_format(double value, int at_least) const {
  if (std::abs(value) >= too_large) return {std::max(precision_, 1), true};
  const int needed = decimals_needed(value);
  const bool is_tiny = needed > precision_ && read_back(value, {precision_}) == 0;
  if (is_tiny && tiny_ == Tiny::two_digits)
    return two_digits(value, std::min(precision_ + most_extra_decimals, most_decimals));
  return {std::min(std::max(needed, at_least), precision_), false};
}

std::string Numerals::in_line(double value, int at_least) const {
  return written(value, std::isfinite(value) ? line_format(value, at_least) : NumberFormat{});
}

bool Numerals::exact(double value) const {
  if (!std::isfinite(value)) return true;
  if (std::abs(value) >= too_large) return false;
  if (decimals_needed(value) <= precision_) return true;
  return tiny_ == Tiny::two_digits && same(read_back(value, line_format(value, 0)), value);
}

}  // namespace attn
