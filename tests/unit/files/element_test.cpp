#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "exports/numbers.h"
#include "files/array.h"

using namespace attn;

namespace {

constexpr Element half = {Element::Kind::floating, 2};
constexpr Element brain = {Element::Kind::brain, 2};

template <class T>
std::string stored_as(std::vector<T> numbers, bool foreign = false) {
  std::string bytes;
  for (const T& number : numbers) {
    std::string one(sizeof number, '\0');
    std::memcpy(one.data(), &number, sizeof number);
    if (foreign) std::ranges::reverse(one);
    bytes += one;
  }
  return bytes;
}

// The numbers, or what is wrong with them.
struct Decoded {
  std::vector<double> numbers;
  std::string fault;
};

Decoded decoded(Element element, const std::string& bytes, bool foreign = false, std::size_t first = 0) {
  Decoded result{std::vector<double>(bytes.size() / element.bytes), ""};
  if (const auto fault = decode(element, foreign, bytes, first, result.numbers)) result.fault = fault->message;
  return result;
}

// By its definition: sign, 5 bits of exponent, 10 of fraction.
double half_by_definition(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double fraction = bits & 1023U;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST_CASE("every half is read as its bits say", "[files]") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Decoded read = decoded(half, stored_as<std::uint16_t>({static_cast<std::uint16_t>(bits)}));
    if (!same(read.numbers[0], half_by_definition(bits))) FAIL("bits " << bits << " read as " << read.numbers[0]);
  }
}

TEST_CASE("every half and every bfloat16 is written as it was read", "[files][exports]") {
  StringSink sink;
  Outgoing out(sink);
  for (const auto& [element, dtype] : {std::pair(half, Dtype::f16), std::pair(brain, Dtype::bf16)}) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const std::string bytes = stored_as<std::uint16_t>({static_cast<std::uint16_t>(bits)});
      const double number = decoded(element, bytes).numbers[0];
      write_stored(std::span(&number, 1), dtype, out);
      const std::string written = std::exchange(out.text(), "");
      // A trace has one NaN and one zero.
      if (std::isnan(number)) {
        CHECK(std::isnan(decoded(element, written).numbers[0]));
      } else if (number == 0) {
        CHECK(written == std::string(2, '\0'));
      } else if (written != bytes) {
        FAIL(name(dtype) << " bits " << bits << " are not written as they were read");
      }
    }
  }
}

TEST_CASE("numbers are read in either byte order", "[files]") {
  const std::vector<double> wide = {1.5, -0.0, 1e300, std::numeric_limits<double>::denorm_min()};
  const std::vector<float> narrow = {1.5F, -2.25F, 3e38F};
  for (const bool foreign : {false, true}) {
    const Decoded read = decoded({Element::Kind::floating, 8}, stored_as(wide, foreign), foreign);
    for (std::size_t i = 0; i < wide.size(); ++i) CHECK(same(read.numbers[i], wide[i]));
    CHECK(decoded({Element::Kind::floating, 4}, stored_as(narrow, foreign), foreign).numbers ==
          std::vector<double>(narrow.begin(), narrow.end()));
    CHECK(
        decoded({Element::Kind::integer, 2}, stored_as<std::int16_t>({-32768, -2, 32767}, foreign), foreign).numbers ==
        std::vector<double>{-32768, -2, 32767});
    CHECK(decoded({Element::Kind::natural, 4}, stored_as<std::uint32_t>({0, 4294967295U}, foreign), foreign).numbers ==
          std::vector<double>{0, 4294967295});
    CHECK(decoded({Element::Kind::integer, 8}, stored_as<std::int64_t>({-3, 1LL << 53}, foreign), foreign).numbers ==
          std::vector<double>{-3, 0x1p53});
  }
  CHECK(decoded({Element::Kind::integer, 1}, "\x80\x7f").numbers == std::vector<double>{-128, 127});
  CHECK(decoded({Element::Kind::natural, 1}, "\x80\xff").numbers == std::vector<double>{128, 255});
}

TEST_CASE("an integer that no double holds is named", "[files]") {
  constexpr Element integer = {Element::Kind::integer, 8};
  constexpr Element natural = {Element::Kind::natural, 8};
  const std::int64_t beyond = (std::int64_t{1} << 53) + 1;
  CHECK(decoded(integer, stored_as<std::int64_t>({1, -beyond}), false, 40).fault ==
        "holds the integer -9007199254740993 (number 42 of the tensor), which no double is equal to");
  CHECK_FALSE(decoded(natural, stored_as<std::uint64_t>({~std::uint64_t{0}})).fault.empty());
  CHECK_FALSE(decoded(integer, stored_as<std::int64_t>({std::numeric_limits<std::int64_t>::max()})).fault.empty());
  // Large, and yet equal to a double.
  CHECK(decoded(integer, stored_as<std::int64_t>({std::numeric_limits<std::int64_t>::min(), 3LL << 60})).numbers ==
        std::vector<double>{-0x1p63, 3 * 0x1p60});
  CHECK(decoded(natural, stored_as<std::uint64_t>({std::uint64_t{1} << 63})).numbers == std::vector<double>{0x1p63});
}

TEST_CASE("an integer that no double holds is named in either byte order, and one that is held is read", "[files]") {
  const std::uint64_t beyond = (std::uint64_t{1} << 53) + 1, held = 0x0123456789ABCD00U;
  for (const bool foreign : {false, true}) {
    for (const Element::Kind kind : {Element::Kind::integer, Element::Kind::natural}) {
      CAPTURE(foreign, static_cast<int>(kind));
      const Decoded refused = decoded({kind, 8}, stored_as<std::uint64_t>({7, beyond}, foreign), foreign);
      CHECK(refused.fault ==
            "holds the integer 9007199254740993 (number 2 of the tensor), which no double is equal to");
      const Decoded read = decoded({kind, 8}, stored_as<std::uint64_t>({held}, foreign), foreign);
      CHECK(read.fault.empty());
      CHECK(read.numbers == std::vector<double>{0x123456789ABCDp8});
    }
  }
}

TEST_CASE("a boolean is the byte 0 or 1", "[files]") {
  constexpr Element boolean = {Element::Kind::boolean, 1};
  CHECK(decoded(boolean, std::string("\0\1", 2)).numbers == std::vector<double>{0, 1});
  CHECK(decoded(boolean, "\2").fault == "holds the byte 2 (number 1 of the tensor), and booleans are 0 and 1");
}

TEST_CASE("the numbers of a shape are counted without overflow", "[files]") {
  constexpr std::size_t large = std::size_t{1} << 40;
  CHECK(count_of({}) == 1);
  CHECK(count_of({3, 4}) == 12);
  CHECK(count_of({3, 0}) == 0);
  CHECK_FALSE(count_of({large, large}));
  CHECK_FALSE(count_of({0, large, large}));
}
