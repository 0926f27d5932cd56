#include "base/numbers.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <tuple>

#include "base/random.h"
#include "catch.h"

using namespace attn;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("numbers print with the fewest digits that read back", "[numbers]") {
  auto [value, text] = GENERATE(table<double, std::string>({
      {0.0, "0"},
      {-0.0, "0"},
      {1.0, "1"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {100000.0, "100000"},
      {1234567.875, "1234567.875"},
      {9007199254740993.0, "9007199254740992"},
      {1e16, "1e16"},
      {1.5e300, "1.5e300"},
      {0.000001, "0.000001"},
      {0.0000012, "0.0000012"},
      {1e-7, "1e-7"},
      {std::nextafter(1e-6, 0.0), "9.999999999999997e-7"},
      {-4503599627370495.5, "-4503599627370495.5"},
      {9007199254740994.0, "9007199254740994"},
      {5e-324, "5e-324"},
      {infinity, "inf"},
      {-infinity, "-inf"},
      {-std::nan(""), "nan"},
  }));
  CHECK(shortest(value) == text);
}

TEST_CASE("a float prints with a float's digits", "[numbers]") {
  CHECK(shortest(0.1f) == "0.1");
  CHECK(shortest(16777216.0f) == "16777216");
  CHECK(shortest(-8388607.5f) == "-8388607.5");
  CHECK(shortest(1e-6f) == "0.000001");
  CHECK(shortest(std::nextafter(1e-6f, 0.0f)) == "9.999999e-7");
  CHECK(shortest(1e-45f) == "1e-45");
}

TEST_CASE("what is printed shortest reads back to the same bits", "[numbers]") {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.integer(-1000, 1000)));
    double read = 0;
    REQUIRE(parse_number(shortest(value), read));
    CHECK(read == value);
  }
}

TEST_CASE("a float comes back also to a reader who takes its digits for a double first", "[numbers]") {
  const float nearest_to_the_middle = 0x1.5c87fap-84F;  // of all floats (tests/trust/digits.cpp)
  for (const float value : {nearest_to_the_middle, -nearest_to_the_middle}) {
    const std::string text = shortest(value);
    CAPTURE(text);
    CHECK(static_cast<float>(std::strtod(text.c_str(), nullptr)) == value);
    CHECK(std::strtof(text.c_str(), nullptr) == value);
  }
}

TEST_CASE("fixed decimals never show a negative zero", "[numbers]") {
  CHECK(fixed(-0.00001, 4) == "0.0000");
  CHECK(fixed(-0.0, 0) == "0");
  CHECK(fixed(-1.25, 1) == "-1.2");
  CHECK(fixed(2.0, 3) == "2.000");
  CHECK(fixed(-infinity, 2) == "-inf");
  CHECK(fixed(1.7976931348623157e308, 17).size() == 309 + 1 + 17);
}

TEST_CASE("a natural number is digits and nothing else", "[numbers]") {
  std::size_t value = 99;
  for (const char* text : {"", "-1", "+1", "010", "7.5", "1e3", " 7", "7 ", "0x10", "18446744073709551616"}) {
    INFO(text);
    CHECK_FALSE(parse_natural(text, value));
    CHECK(value == 99);
  }
  CHECK(parse_natural("0", value));
  CHECK(value == 0);
  CHECK(parse_natural("18446744073709551615", value));
  CHECK(value == 18446744073709551615u);
}

TEST_CASE("a number is spelled as JSON spells it and finite", "[numbers]") {
  double value = 99;
  for (const char* text : {"", "-", "01", ".5", "5.", "+1", "1e", "inf", "nan", "0x1p3", "1 ", "1e999", "-1e999",
                           "1e99999999999999999999", "1,5"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text, value));
    CHECK(value == 99);
  }
  auto [text, number] = GENERATE(table<std::string, double>({
      {"0", 0.0},
      {"-0", 0.0},
      {"-12.5e-1", -1.25},
      {"1E+2", 100.0},
      {"1e-999", 0.0},
      {"0.1e-99999999999999999999", 0.0},
      {"0e999", 0.0},
      {"100e-330", 0.0},
      {"4.9e-324", 5e-324},
  }));
  INFO(text);
  CHECK(parse_number(text, value));
  CHECK(value == number);
}

TEST_CASE("a long number is judged by where its first digit stands", "[numbers]") {
  double value = 0;
  CHECK_FALSE(parse_number("1" + std::string(400, '0') + "e-10", value));
  CHECK(parse_number("0." + std::string(400, '0') + "1e10", value));
  CHECK(value == 0);
  CHECK(parse_number("1" + std::string(400, '0') + "e-400", value));
  CHECK(value == 1);
}
