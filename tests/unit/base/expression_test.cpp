#include "base/expression.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"

using namespace attn;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

SpelledNumber number(const std::string& text) {
  INFO(text);
  const Result<SpelledNumber> result = spelled_number(text);
  REQUIRE(result);
  return result.value();
}

Diagnostic fault_of(const std::string& text) {
  INFO(text.substr(0, 100));
  const Result<SpelledNumber> result = spelled_number(text);
  REQUIRE_FALSE(result);
  REQUIRE(result.faults().size() == 1);
  return result.faults()[0];
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("a decimal number keeps how many decimals were written", "[expression]") {
  auto [text, value, decimals] = GENERATE(table<std::string, double, int>({
      {"0.50", 0.5, 2},
      {"2", 2, 0},
      {"007", 7, 0},
      {"-0.5", -0.5, 1},
      {"−0.5", -0.5, 1},
      {"–0.5", -0.5, 1},
      {"+3.25", 3.25, 2},
      {" 1.0 ", 1, 1},
      {".5", 0.5, 1},
      {"5.", 5, 0},
      {"2e4", 20000, 0},
      {"1e-3", 1e-3, 3},
      {"2.5e1", 25, 0},
      {"2.50E+1", 25, 1},
      {"47%", 0.47, 2},
      {"5.2 %", 0.052, 3},
      {"-0.0", 0, 1},
      {"1e-999999999999999999999", 0, 400},
  }));
  CHECK(number(text).value == value);
  CHECK_FALSE(std::signbit(number(text).value) != (value < 0));
  CHECK(number(text).decimals == decimals);
}

TEST_CASE("infinities stand alone and are exact", "[expression]") {
  for (const char* text : {"inf", "+inf", "∞", "Infinity"}) CHECK(number(text).value == infinite);
  for (const char* text : {"-inf", "-∞", "−∞", "- infinity"}) CHECK(number(text).value == -infinite);
  CHECK_FALSE(number("-inf").decimals);
  CHECK(fault_of("inf - inf").message == "nothing is computed with infinity");
  CHECK(fault_of("1/∞").message == "nothing is computed with infinity");
}

TEST_CASE("an expression is computed as mathematics reads it, and is exact", "[expression]") {
  const double e = 2.718281828459045;
  auto [text, value] = GENERATE_COPY(table<std::string, double>({
      {"2/3", 2.0 / 3},
      {"e^2/(e^2+2e^4)", std::exp(2.0) / (std::exp(2.0) + 2 * std::exp(4.0))},
      {"sqrt(3)", std::sqrt(3.0)},
      {"sqrt(0)", 0},
      {"√3/2", std::sqrt(3.0) / 2},
      {"1/√2", 1 / std::sqrt(2.0)},
      {"exp(2)/(exp(2)+1)", std::exp(2.0) / (std::exp(2.0) + 1)},
      {"3·4 − 1", 11},
      {"3×4 ÷ 2", 6},
      {"1⁄2", 0.5},
      {"1∕2", 0.5},
      {"3⋅4", 12},
      {"3∙4", 12},
      {"2(3+1)", 8},
      {"(1+1)(2+1)", 6},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"−2²", -4},
      {"2^3^2", 512},
      {"2**3", 8},
      {"2^-1", 0.5},
      {"4^0.5", 2},
      {"9^1.5", 27},
      {"2 - -3", 5},
      {"--2", 2},
      {"6/2/3", 1},
      {"6/2·3", 9},
      {"2e", 2 * e},
      {"2e^4", 2 * std::exp(4.0)},
      {"2e -4", 2 * e - 4},
      {"2e⁻²", 2 * std::exp(-2.0)},
      {"2√3", 2 * std::sqrt(3.0)},
      {"√√16", 2},
      {"2π", 6.283185307179586},
      {"pi/2", 1.5707963267948966},
      {"ln(e)", 1},
      {"(0.47)", 0.47},
      {"10^-3", 1e-3},
      {"10^-310", 1e-310},
      {"2^-1024", 0x1p-1024},
      {"(-2)^-1023", -0x1p-1023},
      {"10^-400", 0},
      {"(-1)^1025", -1},
      {"(-1)^1026", 1},
      {"(-1)^-1025", -1},
  }));
  CHECK(number(text).value == Approx(value).epsilon(1e-14));
  CHECK_FALSE(number(text).decimals);
}

TEST_CASE("what is computed to be 0 has no sign", "[expression]") {
  for (const char* text : {"0*-1", "-(0)", "-0^2", "(2-2)*-3"}) {
    INFO(text);
    CHECK(number(text).value == 0);
    CHECK_FALSE(std::signbit(number(text).value));
  }
}

TEST_CASE("what is no number is a fault with its place", "[expression]") {
  auto [text, begin, end, message] = GENERATE(table<std::string, std::size_t, std::size_t, std::string>({
      {"", 0, 0, "a number is missing"},
      {"  ", 0, 2, "a number is missing"},
      {"2//3", 2, 3, "a number is missing before \"/\""},
      {"2+", 1, 2, "a number is missing after \"+\""},
      {"()", 1, 2, "a number is missing before \")\""},
      {"(2", 0, 1, "this \"(\" is never closed"},
      {"2)", 1, 2, "\")\" closes nothing"},
      {"2 3", 2, 3, "a sign such as + or · is missing before \"3\""},
      {"(2)3", 3, 4, "a sign such as + or · is missing before \"3\""},
      {"e4", 1, 2, "a sign such as + or · is missing before \"4\""},
      {"0,47", 1, 2, "\",\" has no meaning in a number"},
      {"3*47%", 4, 5, "\"%\" has no meaning in a number"},
      {"1/0", 1, 2, "this divides by zero"},
      {"1/(2-2)", 1, 2, "this divides by zero"},
      {"0^-1", 1, 2, "a negative power of 0 divides by zero"},
      {"0^0", 1, 2, "0 to the power 0 has no value"},
      {"1e999", 0, 5, "\"1e999\" is larger than any double (1.8e308)"},
      {"10^400", 2, 3, "the result of \"^\" is larger than any double (1.8e308)"},
      {"1e308*10", 5, 6, "the result of \"*\" is larger than any double (1.8e308)"},
      {"e^1000 - e^1000", 1, 2, "the result of \"^\" is larger than any double (1.8e308)"},
      {"exp(1000)", 0, 3, "the result of \"exp\" is larger than any double (1.8e308)"},
      {"sqrt(-1)", 0, 4, "a negative number has no square root"},
      {"√-4", 0, 3, "a negative number has no square root"},
      {"1e999999999999999999999", 0, 23, "\"1e99999999999999999…\" is larger than any double (1.8e308)"},
      {"ln(0)", 0, 2, "0 has no logarithm"},
      {"ln(-2)", 0, 2, "a negative number has no logarithm"},
      {"(-8)^(1/3)", 4, 5, "a negative number has no power that is not whole"},
      {"1/2√2", 3, 6, "whether \"√\" is divided by too is not clear"},
      {"1/2(3)", 3, 4, "whether \"(\" is divided by too is not clear"},
      {"log(2)", 0, 3, "\"log\" has more than one meaning"},
      {"sqrt 3", 0, 4, "a bracket is missing after \"sqrt\""},
      {"nan", 0, 3, "\"nan\" has no value"},
      {"2*NaN", 2, 5, "\"nan\" has no value"},
      {"2*inf", 2, 5, "nothing is computed with infinity"},
      {"2*infinity", 2, 10, "nothing is computed with infinity"},
      {"1/Infinity", 2, 10, "nothing is computed with infinity"},
      {"Sqrt(2)", 0, 4, "\"Sqrt\" is not known in a number"},
      {"2⁻", 1, 4, "a digit is missing after \"⁻\""},
      {"\xff", 0, 1, "\"\\xff\" has no meaning in a number"},
  }));
  const Diagnostic fault = fault_of(text);
  CHECK(fault.message == message);
  CHECK(fault.range->begin == begin);
  CHECK(fault.range->end == end);
}

TEST_CASE("a likely slip comes with what to write", "[expression]") {
  CHECK(fault_of("0,47").help.text() == "write 0.47");
  CHECK(fault_of("-0,47").help.text() == "write -0.47");
  CHECK(fault_of("1,000.5").help.text() == "decimals stand after a point, and nothing between thousands: 1234.5");
  CHECK(fault_of("Sqrt(2)").help.text() == "did you mean sqrt?");
  CHECK(fault_of("log(2)").help.text() == "the natural logarithm is written ln(2)");
  CHECK(fault_of("3 x 4").help.text() == "a product is written 2*3 or 2·3");
  CHECK(fault_of("3 X 4").help.text() == "a product is written 2*3 or 2·3");
  for (const char* text : {"0.5=1/2", "≈0.5", "~0.5"}) CHECK(fault_of(text).help.text() == "write the number alone");
  CHECK(fault_of("1:2").help.text() == "a division is written /");
  CHECK(fault_of("[2]").help.text() == "use round brackets: ( )");
  CHECK(fault_of("2 + .").help.text() == "a number has one point, with digits at it: 0.5");
  CHECK(fault_of("3*47%").help.text() == "a percentage stands alone, or is written as a fraction: 47/100");
  // A comma that has no digits on both sides, or of which there is another, may be no point.
  for (const char* text : {",5", "5,", "1,000,5"}) {
    INFO(text);
    CHECK(fault_of(text).help.text() == "decimals stand after a point, and nothing between thousands: 1234.5");
  }
}

TEST_CASE("whether a text spells a number is known without the words for why not", "[expression]") {
  const std::vector<std::string> pieces = {"1",   "2.5", "0",     "e", "pi",   "x", "sqrt", "ln(", "exp", "(",   ")",
                                           "+",   "-",   "*",     "/", "^",    "√", "²",    "⁻",   "·",   "inf", "∞",
                                           "nan", " ",   "1e999", "%", "\xff", "[", ",",    "−",   "log"};
  std::mt19937 random(7);
  std::size_t numbers = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t count = random() % 8; count > 0; --count) text += pieces[random() % pieces.size()];
    const Result<SpelledNumber> read = spelled_number(text);
    INFO(text);
    REQUIRE(is_spelled_number(text) == static_cast<bool>(read));
    numbers += read ? 1 : 0;
  }
  CHECK(numbers > 500);
  for (const char* text : {"Infinity", "infinity", "-Infinity", "exp(1)", "pi", "ln(2)", "sqrt(2)"}) {
    INFO(text);
    CHECK(is_spelled_number(text));
  }
}

TEST_CASE("deep and long expressions are refused, not followed", "[expression]") {
  CHECK(number(repeated("(", 30) + "2" + repeated(")", 30)).value == 2);
  const std::string deep = "this is nested more than 64 deep";
  CHECK(fault_of(repeated("(", 900)).message == deep);
  CHECK(fault_of(repeated("√", 300) + "4").message == deep);
  CHECK(fault_of(repeated("sqrt(", 150) + "4").message == deep);
  CHECK(fault_of("2" + repeated("^1", 400)).message == deep);
  // As deep as may be, and nothing there.
  CHECK(fault_of(repeated("(", 64)).message == R"(a number is missing after "(")");
  CHECK(fault_of(repeated("(", 64)).range == TextRange{63, 64});
  CHECK(number(repeated("-", 900) + "2").value == 2);
  CHECK(number("1" + repeated("+1", 400)).value == 401);
  CHECK(fault_of(repeated("(", 100'000)).message == "a number takes at most 1000 bytes; these are more");
  CHECK_FALSE(is_spelled_number(repeated("1", 1001)));
  CHECK(fault_of("2" + repeated("²", 310)).message == "this power is larger than any double");
}
