#include "base/numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/rounding.h"
#include "bytes.h"
#include "harness.h"
#include "reading/json/json.h"

namespace attn {
namespace {

template <class Number>
bool same_bits(Number a, Number b) {
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

// The C library rounds the decimal expansion of a double exactly, ties to even.
std::string by_the_library(double value, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string shown = text;
  if (shown.front() == '-' && shown.find_first_not_of("-0.") == std::string::npos) shown.erase(0, 1);
  return shown;
}

void check_shortest(double value) {
  const std::string text = shortest(value);
  if (!std::isfinite(value)) return demand(!spells_number(text), "JSON has no such number", text);
  double read = 0;
  demand(parse_number(text, read) && same_bits(read, value + 0.0), "the shortest digits read back", text);
  demand(same_bits(number_spelled(text).value, value + 0.0), "the shortest digits read back from JSON", text);
  demand(same_bits(std::strtod(text.c_str(), nullptr), value + 0.0), "the C library reads them back", text);
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.15g", value);
  const bool has_15 = std::strtod(digits, nullptr) == value;
  const auto count = [](std::string_view number) {
    std::size_t found = 0;
    for (const char c : number.substr(0, number.find('e'))) found += c >= '0' && c <= '9' ? 1 : 0;
    return found;
  };
  demand(!has_15 || count(text) <= 15 + 310, "the digits are few", text);
}

// As a person rounds by hand: of the value read to 12 significant digits.
void check_by_hand(double value, HandRounding rounding) {
  const double result = rounded(value, rounding);
  if (!std::isfinite(value)) return demand(same_bits(result, value) || std::isnan(value), "infinity stays");
  const double unit = unit_of_last(rounding.decimals);
  const double most = rounding.mode == RoundingMode::truncate ? 1.0 : 0.5;
  const double slack = std::abs(value) * 5.1e-12 + unit * 1e-3;  // 12 digits, and a double's own
  demand(std::abs(result - value) <= most * unit + slack, "a number is rounded to its neighbour", shortest(value));
  demand(!std::signbit(result) || result < 0, "no zero is negative", shortest(value));
  demand(same_bits(rounded(result, rounding), result), "what is rounded stays", shortest(result));
  // Where the 12 digits end at the last decimal kept, the number is rounded to the nearest.
  const bool is_cut_off = rounding.mode == RoundingMode::truncate && unit > std::abs(value) * 1e-10;
  if (!is_cut_off) return;
  demand(std::abs(result) <= std::abs(value) + slack, "truncation goes towards zero", shortest(value));
}

void check_row(Bytes bytes, HandRounding rounding) {
  std::vector<double> row, open;
  while (bytes.any() && row.size() < 8) {
    const std::uint8_t kind = bytes.byte();
    row.push_back(kind == 0xFF ? bytes.bits<double>() : kind / 255.0);
    open.push_back(kind % 5 == 0 ? 0 : 1);
  }
  const std::vector<double> before = row;
  round_row_keeping_sum(row, open, rounding);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (open[i] == 0) demand(row[i] == 0, "a closed cell is 0");
    if (!std::isfinite(before[i]) || open[i] == 0) continue;
    const double off = std::abs(row[i] - before[i]);
    demand(off <= 1.001 * unit_of_last(rounding.decimals) + std::abs(before[i]) * 5.1e-12, "a cell is near",
           shortest(before[i]));
  }
}

// Numbers as they are printed: what is shown is the number rounded correctly, and digits read back.
void run(std::string_view text) {
  Bytes bytes(text);
  const auto value = bytes.bits<double>();
  check_shortest(value);
  const auto narrow = bytes.bits<float>();
  const std::string written = shortest(narrow);
  if (std::isfinite(narrow))
    demand(same_bits(std::strtof(written.c_str(), nullptr), narrow + 0.0F), "the shortest digits of a float", written);
  const int decimals = static_cast<int>(bytes.between(0, 17));
  if (std::isfinite(value)) {
    const std::string shown = fixed(value, decimals);
    demand(shown == by_the_library(value, decimals), "what is shown is the number rounded", shown);
  }
  const HandRounding rounding{static_cast<int>(bytes.between(0, most_rounded_decimals)),
                              static_cast<RoundingMode>(bytes.between(0, 3))};
  check_by_hand(value, rounding);
  check_by_hand(static_cast<double>(narrow), rounding);
  check_by_hand(bytes.bits<std::int32_t>() / std::pow(10.0, bytes.between(0, 12)), rounding);
  check_row(bytes, rounding);
}

}  // namespace

Harness numbers_harness() { return {"numbers", run}; }

}  // namespace attn
