#include "base/rounding.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/numbers.h"

namespace attn {
namespace {

constexpr std::array<std::string_view, 4> mode_names = {"half-up", "half-even", "truncate", "keep-sum"};

constexpr int digits_read = 12;

constexpr auto powers_of_ten = [] {
  std::array<std::int64_t, digits_read + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

// 10^exponent. REQUIRES: 0 <= exponent <= 12.
std::int64_t power_of_ten(int exponent) { return powers_of_ten[static_cast<std::size_t>(exponent)]; }

// How often the last decimal's unit fits into a magnitude, roughly.
double size_in_units(double magnitude, int decimals) { return magnitude * static_cast<double>(power_of_ten(decimals)); }

// A number cut after the last decimal kept: 0.179 after two is 17 units of 0.01
// and 0.9 of one; -0.179 is -18 and 0.1.
struct Cut {
  std::int64_t units;
  double dropped;  // what the units are short of the number, in [0, 1)
  bool exact;      // cut from the exact value, since the digits read end too early
};

double parsed(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The double nearest to digits · 10^exponent.
//
// Two decimals of 12 digits that differ are so far apart that their doubles
// differ too; so dropped parts may be compared as doubles.
double decimal(std::int64_t digits, int exponent) {
  // A whole number and a power of ten that doubles hold exactly: their quotient
  // is rounded once.
  const bool exact = std::abs(digits) < (std::int64_t{1} << 53) && exponent <= 0 && exponent >= -most_rounded_decimals;
  if (exact) return static_cast<double>(digits) / static_cast<double>(power_of_ten(-exponent));
  return parsed(std::to_string(digits) + "e" + std::to_string(exponent));
}

// A negative number is cut where the next unit below it begins.
Cut signed_cut(bool negative, std::int64_t units, double dropped, double rest_of_unit, bool exact) {
  if (!negative) return {units, dropped, exact};
  if (dropped == 0) return {-units, 0, exact};
  return {-units - 1, rest_of_unit, exact};
}

// REQUIRES: 2^-4 <= |value|, so that it has at most 56 binary and as many
// decimal places; size_in_units(|value|, decimals) < 2^55.
Cut exact_cut(double value, int decimals) {
  char buffer[128];
  const auto end =
      std::to_chars(std::begin(buffer), std::end(buffer), std::abs(value), std::chars_format::fixed, 60).ptr;
  std::string text(std::begin(buffer), end);
  const auto point = text.find('.');
  text.erase(point, 1);
  const auto kept = point + static_cast<std::size_t>(decimals);

  std::int64_t units = 0;
  std::from_chars(text.data(), text.data() + kept, units);
  const double dropped = parsed("0." + text.substr(kept));  // few binary places: exact, and so is 1 - dropped
  return signed_cut(value < 0, units, dropped, 1 - dropped, true);
}

// The cut that is decided on the first 12 digits, or on the exact value where
// they do not reach beyond the last decimal kept.
// REQUIRES: size_in_units(|value|, decimals) < 2^55.
Cut cut_after(double value, int decimals) {
  // "d.ddddddddddde±xx"
  char text[32];
  const auto end =
      std::to_chars(std::begin(text), std::end(text), std::abs(value), std::chars_format::scientific, digits_read - 1)
          .ptr;
  text[1] = text[0];  // over the point, so that the digits stand together
  const char* const mark = text + 1 + digits_read;
  std::int64_t digits = 0;
  std::from_chars(text + 1, mark, digits);
  int exponent = 0;
  std::from_chars(mark + (mark[1] == '+' ? 2 : 1), end, exponent);

  const int cut_digits = digits_read - 1 - exponent - decimals;
  if (cut_digits <= 0) return exact_cut(value, decimals);
  if (cut_digits > digits_read) {
    const double dropped = decimal(digits, -cut_digits);
    return signed_cut(value < 0, 0, dropped, 1 - dropped, false);
  }
  const std::int64_t unit = power_of_ten(cut_digits);
  const std::int64_t rest = digits % unit;
  return signed_cut(value < 0, digits / unit, decimal(rest, -cut_digits), decimal(unit - rest, -cut_digits), false);
}

bool rounds_up(const Cut& cut, RoundingMode mode) {
  switch (mode) {
    case RoundingMode::half_up:
    case RoundingMode::keep_sum:
      return cut.dropped >= 0.5;
    case RoundingMode::half_even:
      return cut.dropped > 0.5 || (cut.dropped == 0.5 && cut.units % 2 == 1);
    case RoundingMode::truncate:
      return cut.exact && cut.dropped > 0.5;
  }
  return false;
}

std::int64_t rounded_units(double magnitude, HandRounding rounding) {
  const Cut cut = cut_after(magnitude, rounding.decimals);
  return cut.units + (rounds_up(cut, rounding.mode) ? 1 : 0);
}

// The result where no digit beyond the twelfth can matter: the number of units
// is small, and far enough from where rounding turns. Nothing elsewhere.
// The more units there are, the fewer of the twelve digits are left behind them.
// Whole units over a power of ten are exact in both, so that one division gives
// the nearest double.
std::optional<double> rounded_plainly(double magnitude, HandRounding rounding) {
  const auto power = static_cast<double>(power_of_ten(rounding.decimals));
  const double units = magnitude * power;
  if (!(units < 1e9)) return std::nullopt;
  // What the twelve digits cannot tell from whole units is that, however it is rounded.
  const double nearest = std::round(units);
  if (std::abs(units - nearest) <= 1e-13 * units) return nearest / power;
  const double whole = std::floor(units);
  const double rest = units - whole;
  const double turn = rounding.mode == RoundingMode::truncate ? std::min(rest, 1 - rest) : std::abs(rest - 0.5);
  if (turn < (units < 1e6 ? 1e-5 : 1e-2)) return std::nullopt;
  const bool up = rounding.mode != RoundingMode::truncate && rest > 0.5;
  return (up ? whole + 1 : whole) / power;
}

// What an open cell of a row gets.
struct Share {
  std::size_t index;
  std::int64_t units;
  double lost;  // by rounding down, as a part of a unit
};

}  // namespace

std::optional<HandRounding> parse_hand_rounding(std::string_view text) {
  const auto colon = text.find(':');
  std::size_t decimals = 0;
  if (!parse_natural(text.substr(0, colon), decimals) || decimals > std::size_t{most_rounded_decimals})
    return std::nullopt;
  HandRounding rounding{.decimals = static_cast<int>(decimals)};
  if (colon == std::string_view::npos) return rounding;

  const auto found = std::ranges::find(mode_names, text.substr(colon + 1));
  if (found == mode_names.end()) return std::nullopt;
  rounding.mode = RoundingMode(found - mode_names.begin());
  return rounding;
}

std::string to_string(HandRounding rounding) {
  return std::to_string(rounding.decimals) + ":" + std::string(mode_names[static_cast<std::size_t>(rounding.mode)]);
}

double unit_of_last(int decimals) {
  double unit = 1;
  for (int i = 0; i < decimals; ++i) unit /= 10;
  return unit;
}

double rounded(double value, HandRounding rounding) {
  assert(0 <= rounding.decimals && rounding.decimals <= most_rounded_decimals);
  // Beyond this, neighbouring doubles lie more than two units apart: rounding
  // cannot reach another one. Infinities and NaN leave here too.
  const double magnitude = std::abs(value);
  if (!(size_in_units(magnitude, rounding.decimals) < 0x1p55)) return value;

  if (const auto plain = rounded_plainly(magnitude, rounding)) return value < 0 && *plain != 0 ? -*plain : *plain;
  const double result = decimal(rounded_units(magnitude, rounding), -rounding.decimals);
  return value < 0 && result != 0 ? -result : result;
}

void round_row_keeping_sum(std::span<double> row, std::span<const double> open, HandRounding rounding) {
  assert(open.empty() || open.size() == row.size());
  const auto is_open = [&](std::size_t i) { return open.empty() || open[i] != 0; };
  rounding.mode = RoundingMode::half_up;
  double sum = 0;
  double size = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!is_open(i)) row[i] = 0;
    sum += row[i];
    size += std::abs(row[i]);
  }
  if (!(size_in_units(size, rounding.decimals) < 0x1p53)) {
    for (double& cell : row) cell = rounded(cell, rounding);
    return;
  }

  const std::int64_t sum_units = rounded_units(std::abs(sum), rounding);
  std::int64_t missing = sum < 0 ? -sum_units : sum_units;
  std::vector<Share> shares;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!is_open(i)) continue;
    const Cut cut = cut_after(row[i], rounding.decimals);
    shares.push_back({i, cut.units, cut.dropped});
    missing -= cut.units;
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &Share::lost);

  // As many units are missing as there are cells, at most, and none too many.
  // Only cells that the reading to 12 digits moved can make it otherwise, many
  // of them and at many decimals: hence the second round and the second loop.
  for (std::size_t i = 0; missing > 0; --missing, ++i) ++shares[i % shares.size()].units;
  for (; missing < 0; ++missing) --std::ranges::max_element(shares, {}, &Share::units)->units;

  for (const Share& share : shares) {
    const double magnitude = decimal(std::abs(share.units), -rounding.decimals);
    row[share.index] = share.units < 0 ? -magnitude : magnitude;
  }
}

}  // namespace attn
