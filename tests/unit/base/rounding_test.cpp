#include "base/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "catch.h"

using attn::HandRounding;
using attn::parse_hand_rounding;
using attn::Random;
using attn::round_row_keeping_sum;
using attn::rounded;
using attn::to_string;
using Mode = attn::RoundingMode;

namespace {

using Row = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Mode modes[] = {Mode::half_up, Mode::half_even, Mode::truncate, Mode::keep_sum};

}  // namespace

TEST_CASE("a rounding by hand is read and written", "[rounding]") {
  struct Case {
    std::string_view text;
    HandRounding expected;
    std::string_view in_full;
  };
  const auto c = GENERATE(values<Case>({
      {"2", {2, Mode::half_up}, "2:half-up"},
      {"0", {0, Mode::half_up}, "0:half-up"},
      {"12", {12, Mode::half_up}, "12:half-up"},
      {"2:half-up", {2, Mode::half_up}, "2:half-up"},
      {"3:half-even", {3, Mode::half_even}, "3:half-even"},
      {"4:truncate", {4, Mode::truncate}, "4:truncate"},
      {"1:keep-sum", {1, Mode::keep_sum}, "1:keep-sum"},
  }));
  INFO(c.text);
  CHECK(parse_hand_rounding(c.text) == c.expected);
  CHECK(to_string(c.expected) == c.in_full);
}

TEST_CASE("what is not a rounding by hand is not read as one", "[rounding]") {
  const auto text = GENERATE(values<std::string_view>(
      {"",           ":",          ":half-up", "2:",  "2:up", "2:half_up", "2:Half-Up",
       "2:half-up ", "2:half-up:", "13",       "-1",  "-0",   "+2",        " 2",
       "2 ",         "02",         "00",       "2.0", "1e1",  "two",       "999999999999999999999",
       "half-even",  "2;half-up"}));
  INFO(text);
  CHECK(parse_hand_rounding(text) == std::nullopt);
}

TEST_CASE("a number is rounded as by hand", "[rounding]") {
  struct Case {
    double value;
    int decimals;
    double up;
    double even;
    double truncated;
  };
  const auto c = GENERATE(values<Case>({
      // ties, though doubles hold them only nearly
      {0.15, 1, 0.2, 0.2, 0.1},
      {0.25, 1, 0.3, 0.2, 0.2},
      {0.35, 1, 0.4, 0.4, 0.3},
      {0.45, 1, 0.5, 0.4, 0.4},
      {-0.15, 1, -0.2, -0.2, -0.1},
      {-0.25, 1, -0.3, -0.2, -0.2},
      {1.005, 2, 1.01, 1.0, 1.0},
      {1.015, 2, 1.02, 1.02, 1.01},
      {2.675, 2, 2.68, 2.68, 2.67},
      {0.5, 0, 1, 0, 0},
      {1.5, 0, 2, 2, 1},
      {2.5, 0, 3, 2, 2},
      {-2.5, 0, -3, -2, -2},
      {1234.5, 0, 1235, 1234, 1234},
      {0.0000000000005, 12, 0.000000000001, 0, 0},
      {0.1 + 0.2 - 0.15, 1, 0.2, 0.2, 0.1},  // 0.15000000000000002
      {0.15 - 1e-16, 1, 0.2, 0.2, 0.1},      // read as 0.15
      {0.15 - 1e-11, 1, 0.1, 0.1, 0.1},      // not a tie
      {0.15 + 1e-11, 1, 0.2, 0.2, 0.1},
      // truncation, on the value as read
      {0.29, 2, 0.29, 0.29, 0.29},  // held as 0.28999…
      {0.3 - 1e-16, 1, 0.3, 0.3, 0.3},
      {1 - 1e-15, 3, 1, 1, 1},
      {1 - 1e-9, 3, 1, 1, 0.999},
      {4.35 * 100, 0, 435, 435, 435},  // 434.99999999999994
      {-1.999, 2, -2, -2, -1.99},
      // carries
      {0.95, 1, 1.0, 1.0, 0.9},
      {9.999, 2, 10, 10, 9.99},
      {999.95, 1, 1000, 1000, 999.9},
      // zero, and what becomes zero
      {0.0, 2, 0, 0, 0},
      {-0.0, 2, 0, 0, 0},
      {-0.04, 1, 0, 0, 0},
      {0.04, 1, 0, 0, 0},
      {-0.05, 1, -0.1, 0, 0},
      {0.05, 1, 0.1, 0, 0},
      {1e-300, 12, 0, 0, 0},
      {-1e-300, 0, 0, 0, 0},
      {5e-324, 5, 0, 0, 0},
      {0.006, 0, 0, 0, 0},
      // nothing to round
      {3, 2, 3, 3, 3},
      {0.12, 2, 0.12, 0.12, 0.12},
      {0.1, 12, 0.1, 0.1, 0.1},
      {0.7, 12, 0.7, 0.7, 0.7},
      {1e15, 3, 1e15, 1e15, 1e15},
      {1e300, 12, 1e300, 1e300, 1e300},
      {-1.7976931348623157e308, 12, -1.7976931348623157e308, -1.7976931348623157e308, -1.7976931348623157e308},
      {infinity, 2, infinity, infinity, infinity},
      {-infinity, 2, -infinity, -infinity, -infinity},
      // more digits than are read: to the nearest, ties only where exact
      {123456789012.35, 0, 123456789012, 123456789012, 123456789012},
      {123456789012.75, 0, 123456789013, 123456789013, 123456789013},
      {123456789012.5, 0, 123456789013, 123456789012, 123456789012},
      {123456789013.5, 0, 123456789014, 123456789014, 123456789013},
      {123456789012.35, 1, 123456789012.4, 123456789012.4, 123456789012.4},
      {123456789012.25, 1, 123456789012.3, 123456789012.2, 123456789012.2},
      {-123456789012.25, 1, -123456789012.3, -123456789012.2, -123456789012.2},
      {123456789012.35, 2, 123456789012.35, 123456789012.35, 123456789012.35},
      {12345678901.25, 1, 12345678901.3, 12345678901.2, 12345678901.2},
      {12345678901.35, 0, 12345678901, 12345678901, 12345678901},
      {1234567890.25, 1, 1234567890.3, 1234567890.2, 1234567890.2},
      // few of the twelve digits stand behind the units, and turn them
      {12345678.499975, 0, 12345679, 12345678, 12345678},  // read as 12345678.5
      {-12345678.499975, 0, -12345679, -12345678, -12345678},
      {12345679.499975, 0, 12345680, 12345680, 12345679},
      {12345678.99997, 0, 12345679, 12345679, 12345679},
      {1234567.84999998, 1, 1234567.9, 1234567.8, 1234567.8},
      {123456789.4994, 0, 123456789, 123456789, 123456789},
      {123456789.49996, 0, 123456790, 123456790, 123456789},
      {2251799813685248.5, 0, 2251799813685249, 2251799813685248, 2251799813685248},
      {9007199254740991, 12, 9007199254740991, 9007199254740991, 9007199254740991},
      {1.0 / 3, 12, 0.333333333333, 0.333333333333, 0.333333333333},
      {2.0 / 3, 12, 0.666666666667, 0.666666666667, 0.666666666667},
      {2.0 / 3, 11, 0.66666666667, 0.66666666667, 0.66666666666},
  }));
  CAPTURE(c.value, c.decimals);
  const auto check = [&](Mode mode, double expected) {
    const double result = rounded(c.value, {c.decimals, mode});
    CHECK(result == expected);
    CHECK(std::signbit(result) == std::signbit(expected));
  };
  check(Mode::half_up, c.up);
  check(Mode::keep_sum, c.up);
  check(Mode::half_even, c.even);
  check(Mode::truncate, c.truncated);
}

TEST_CASE("not a number stays so", "[rounding]") {
  for (Mode mode : modes) CHECK(std::isnan(rounded(std::numeric_limits<double>::quiet_NaN(), {2, mode})));
}

// The same rule, written as a person would work it out: on paper, with strings
// of digits, and the exact decimal expansion of the double from the C library.
namespace {

struct Paper {
  std::string digits;  // at least one before the point
  std::size_t point;   // how many digits stand before it
};

std::string printed(const char* format, int precision, double value) {
  std::vector<char> text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, precision, value)) + 1);
  std::snprintf(text.data(), text.size(), format, precision, value);
  return text.data();
}

// A magnitude as "%.11e" reads it, or with every digit it has.
Paper written(double magnitude, bool to_12_digits) {
  if (!to_12_digits) {
    const std::string text = printed("%.*f", 1100, magnitude);
    return {text.substr(0, text.find('.')) + text.substr(text.find('.') + 1), text.find('.')};
  }
  const std::string text = printed("%.*e", 11, magnitude);
  std::string digits = text.substr(0, 1) + text.substr(2, 11);
  const int exponent = std::atoi(text.substr(text.find('e') + 1).c_str());
  if (exponent < 0) return {std::string(static_cast<std::size_t>(-exponent), '0') + digits, 1};
  const auto before = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < before) digits.resize(before, '0');
  return {digits, before};
}

std::string plus_one(std::string digits) {
  auto digit = digits.rbegin();
  while (digit != digits.rend() && *digit == '9') *digit++ = '0';
  if (digit == digits.rend()) return "1" + digits;
  ++*digit;
  return digits;
}

double rounded_on_paper(double value, HandRounding rounding) {
  const auto decimals = static_cast<std::size_t>(rounding.decimals);
  Paper paper = written(std::abs(value), true);
  const bool reaches = paper.digits.size() > paper.point + decimals;
  if (!reaches) paper = written(std::abs(value), false);

  std::string kept = paper.digits.substr(0, paper.point + decimals);
  std::string rest = paper.digits.substr(paper.point + decimals);
  rest.erase(rest.find_last_not_of('0') + 1);
  const bool odd = (kept.back() - '0') % 2 == 1;
  const bool nearer_up = rest > "5";
  const bool tie = rest == "5";
  bool up = false;
  if (rounding.mode == Mode::half_up || rounding.mode == Mode::keep_sum) up = nearer_up || tie;
  if (rounding.mode == Mode::half_even) up = nearer_up || (tie && odd);
  if (rounding.mode == Mode::truncate) up = !reaches && nearer_up;
  if (up) kept = plus_one(kept);

  const std::string text = kept.substr(0, kept.size() - decimals) + '.' + kept.substr(kept.size() - decimals);
  const double result = std::strtod(text.c_str(), nullptr);
  return value < 0 && result != 0 ? -result : result;
}

}  // namespace

TEST_CASE("rounding agrees with rounding on paper", "[rounding][property]") {
  const auto mode = GENERATE(from_range(std::begin(modes), std::end(modes)));
  Random random(19);
  for (int i = 0; i < 4000; ++i) {
    const auto decimals = static_cast<int>(random.integer(0, 12));
    double value = 0;
    switch (i % 4) {
      case 0:  // any size
        value = std::ldexp(2 * random.uniform() - 1, static_cast<int>(random.integer(-60, 70)));
        break;
      case 1:  // weights
        value = random.uniform();
        break;
      case 2:  // few decimals, so that there are ties
        value = static_cast<double>(random.integer(-20000, 20000)) /
                std::pow(10, static_cast<double>(random.integer(1, 6)));
        break;
      default:  // exact ties and other short binary fractions
        value = static_cast<double>(random.integer(-10000, 10000)) / 64 + 123456789012.0;
    }
    CAPTURE(decimals, mode);
    INFO(std::setprecision(17) << value);
    const HandRounding rounding{decimals, mode};
    const double result = rounded(value, rounding);
    REQUIRE(result == rounded_on_paper(value, rounding));
    REQUIRE(rounded(result, rounding) == result);
    REQUIRE(rounded(-value, rounding) == -result);
  }
}

TEST_CASE("a row of weights keeps its sum", "[rounding]") {
  struct Case {
    std::string_view what;
    Row row;
    Row open;
    int decimals;
    Row expected;
  };
  const auto c = GENERATE(values<Case>({
      {"the worked example", {0.06337894, 0.46831053, 0.46831053}, {}, 1, {0, 0.5, 0.5}},
      {"its second query", {6.034e-6, 0.982, 0.01799}, {}, 1, {0, 1, 0}},
      {"its third query", {2.95e-4, 0.8805, 0.1192}, {}, 1, {0, 0.9, 0.1}},
      {"three thirds", {1.0 / 3, 1.0 / 3, 1.0 / 3}, {}, 1, {0.4, 0.3, 0.3}},
      {"three thirds to two decimals", {1.0 / 3, 1.0 / 3, 1.0 / 3}, {}, 2, {0.34, 0.33, 0.33}},
      {"three thirds to twelve decimals",
       {1.0 / 3, 1.0 / 3, 1.0 / 3},
       {},
       12,
       {0.333333333334, 0.333333333333, 0.333333333333}},
      {"two thirds and one, to whole numbers", {1.0 / 3, 2.0 / 3}, {}, 0, {0, 1}},
      {"two halves, to whole numbers", {0.5, 0.5}, {}, 0, {1, 0}},
      {"sixths, which all lose the same", {1.0 / 6, 1.0 / 6, 2.0 / 3}, {}, 1, {0.2, 0.2, 0.6}},
      {"a tie that doubles hold only nearly", {0.15, 0.25, 0.6}, {}, 1, {0.2, 0.2, 0.6}},
      {"nothing to round", {0.1, 0.2, 0.7}, {}, 1, {0.1, 0.2, 0.7}},
      {"nothing to round, to the last decimal", {0.1, 0.2, 0.7}, {}, 12, {0.1, 0.2, 0.7}},
      {"one cell", {1.0}, {}, 3, {1.0}},
      {"no cell", {}, {}, 3, {}},
      {"closed cells get nothing", {0, 1.0 / 3, 1.0 / 3, 0, 1.0 / 3}, {0, 1, 1, 0, 1}, 1, {0, 0.4, 0.3, 0, 0.3}},
      {"an open cell may gain from 0", {0.04, 0.04, 0.92}, {1, 1, 1}, 1, {0.1, 0, 0.9}},
      {"a closed row", {0, 0, 0}, {0, 0, 0}, 2, {0, 0, 0}},
      {"what a closed cell held is not read", {0.5, infinity, 0.5}, {1, 0, 1}, 1, {0.5, 0, 0.5}},
      {"with a sink the sum is less than 1", {0.26, 0.26, 0.26}, {}, 1, {0.3, 0.3, 0.2}},
      {"a sum that is a tie goes up", {0.05, 0.1}, {}, 1, {0.1, 0.1}},
      {"negative weights", {-0.26, 1.26}, {}, 1, {-0.3, 1.3}},
      {"negative weights, a tie", {-0.25, 1.25}, {}, 1, {-0.2, 1.2}},
      {"equal losses of both signs", {-0.9, 0.1, 1.8}, {}, 0, {-1, 0, 2}},
      {"a negative sum", {-0.26, -0.26}, {}, 1, {-0.2, -0.3}},
      {"an infinity", {infinity, 0.25, -infinity}, {}, 1, {infinity, 0.3, -infinity}},
      {"numbers too large for their decimals", {1e16, 0.25, 0.15}, {}, 1, {1e16, 0.3, 0.2}},
  }));
  INFO(c.what);
  Row row = c.row;
  round_row_keeping_sum(row, c.open, {c.decimals, Mode::keep_sum});
  CHECK(row == c.expected);
  CHECK(std::ranges::none_of(row, [](double x) { return x == 0 && std::signbit(x); }));
}

TEST_CASE("a cell that is not a number leaves the others rounded one by one", "[rounding]") {
  Row row = {std::numeric_limits<double>::quiet_NaN(), 0.25};
  round_row_keeping_sum(row, {}, {1, Mode::keep_sum});
  CHECK(std::isnan(row[0]));
  CHECK(row[1] == 0.3);
}

TEST_CASE("rounded rows of weights sum to the rounded sum, near what they were", "[rounding][property]") {
  Random random(23);
  for (int i = 0; i < 2000; ++i) {
    const auto decimals = static_cast<int>(random.integer(0, 12));
    const auto count = static_cast<std::size_t>(random.integer(1, 60));
    const bool small = i % 2 == 0;  // few different values, so that there are ties
    Row row(count);
    Row open(count);
    for (std::size_t j = 0; j < count; ++j) {
      open[j] = random.integer(0, 4) == 0 ? 0 : 1;
      row[j] = open[j] * (small ? static_cast<double>(random.integer(1, 5)) : random.uniform());
    }
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    if (total > 0) {
      for (double& x : row) x /= total;
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    const Row before = row;
    round_row_keeping_sum(row, open, {decimals, Mode::keep_sum});

    CAPTURE(i, decimals, before, row, open);
    const double unit = std::pow(10, -decimals);
    std::int64_t units = 0;
    for (double x : row) units += std::llround(x / unit);
    REQUIRE(units == std::llround(rounded(sum, {decimals, Mode::half_up}) / unit));
    for (std::size_t j = 0; j < count; ++j) {
      REQUIRE(row[j] == rounded(row[j], {decimals, Mode::half_up}));
      REQUIRE(std::abs(row[j] - before[j]) < unit * (1 + 1e-3));
      REQUIRE((open[j] != 0 || row[j] == 0));
      for (std::size_t k = j + 1; k < count; ++k) {
        if (open[j] != 0 && open[k] != 0 && before[j] == before[k]) REQUIRE(row[j] >= row[k]);
      }
    }
  }
}

// Every cell is read as a whole number of units and a little more is asked for,
// or less: the row keeps its sum even so.
TEST_CASE("rows whose cells the reading to 12 digits moves keep their sum", "[rounding]") {
  const double off = GENERATE(-4e-14, 4e-14);
  Row row(1000, 0.09 + off);
  double sum = 0;
  for (double x : row) sum += x;
  round_row_keeping_sum(row, {}, {11, Mode::keep_sum});
  std::int64_t units = 0;
  for (double x : row) units += std::llround(x * 1e11);
  CHECK(units == std::llround(rounded(sum, {11, Mode::half_up}) * 1e11));
}
