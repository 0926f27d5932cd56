#include "tensor/dtype.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/numbers.h"
#include "base/random.h"
#include "catch.h"

using namespace attn;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// The two formats of 16 bits, by their layout.
struct Layout {
  Dtype dtype;
  int fraction;      // bits behind the leading one
  int least_normal;  // exponent

  std::uint64_t infinite() const { return std::uint64_t{0x7fff} >> fraction << fraction; }
};

constexpr Layout layouts[] = {{Dtype::bf16, 7, -126}, {Dtype::f16, 10, -14}};

// What a pattern of bits stands for.
double decoded(std::uint64_t pattern, const Layout& layout) {
  const std::uint64_t size = pattern & 0x7fff;
  const std::uint64_t fraction = size & ((std::uint64_t{1} << layout.fraction) - 1);
  const auto field = static_cast<int>(size >> layout.fraction);
  double value = 0;
  if (size >= layout.infinite()) {
    value = fraction == 0 ? infinity : std::numeric_limits<double>::quiet_NaN();
  } else if (field == 0) {
    value = std::ldexp(static_cast<double>(fraction), layout.least_normal - layout.fraction);
  } else {
    const std::uint64_t significand = fraction | std::uint64_t{1} << layout.fraction;
    value = std::ldexp(static_cast<double>(significand), field - 1 + layout.least_normal - layout.fraction);
  }
  return pattern >= 0x8000 ? -value : value;
}

// The pattern nearest to a double, worked out on the bits of the double alone.
std::uint64_t encoded(double number, const Layout& layout) {
  const std::uint64_t sign = bits(number) >> 63 << 15;
  const auto exponent = static_cast<int>(bits(number) >> 52 & 0x7ff) - 1023;
  std::uint64_t significand = bits(number) & 0xf'ffff'ffff'ffff;
  if (exponent == 1024) return sign | (significand == 0 ? layout.infinite() : 0x7fff);
  if (exponent == -1023) return sign;  // far below either format
  significand |= std::uint64_t{1} << 52;

  const int below = std::max(0, layout.least_normal - exponent);
  const int dropped = 52 - layout.fraction + below;
  if (dropped > 60) return sign;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = significand & (2 * half - 1);
  std::uint64_t kept = significand >> dropped;
  if (rest > half || (rest == half && kept % 2 == 1)) ++kept;
  if (below == 0) kept += static_cast<std::uint64_t>(exponent - layout.least_normal) << layout.fraction;
  return sign | std::min(kept, layout.infinite());
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : bits(a) == bits(b); }

}  // namespace

TEST_CASE("every number of 16 bits is stored as itself", "[dtype]") {
  for (const Layout& layout : layouts) {
    for (std::uint64_t pattern = 0; pattern < 0x10000; ++pattern) {
      const double number = decoded(pattern, layout);
      CAPTURE(name(layout.dtype), pattern, number);
      REQUIRE(same(stored(number, layout.dtype), number));
      if (std::isnan(number)) continue;
      REQUIRE(encoded(number, layout) == pattern);
      const auto place = static_cast<std::int64_t>(pattern & 0x7fff);
      REQUIRE(place_among(number, layout.dtype) == (pattern < 0x8000 ? place : -place));
    }
  }
}

TEST_CASE("between two neighbours of 16 bits the nearer is stored, at the middle the even one", "[dtype]") {
  for (const Layout& layout : layouts) {
    for (std::uint64_t pattern = 0; pattern < layout.infinite(); ++pattern) {
      const double below = decoded(pattern, layout);
      const bool is_last = pattern + 1 == layout.infinite();
      // The step beyond the largest number is as wide as the one before it.
      const double above = is_last ? 2 * below - decoded(pattern - 1, layout) : decoded(pattern + 1, layout);
      const double from_there = is_last ? infinity : above;
      const double middle = (below + above) / 2;
      for (const double sign : {1.0, -1.0}) {
        const auto kept = [&](double number) { return sign * stored(sign * number, layout.dtype); };
        CAPTURE(name(layout.dtype), pattern, middle, sign);
        REQUIRE(kept(middle) == (pattern % 2 == 0 ? below : from_there));
        REQUIRE(kept(std::nextafter(middle, 0)) == below);
        REQUIRE(kept(std::nextafter(middle, infinity)) == from_there);
        REQUIRE(kept(std::nextafter(below, infinity)) == below);
        REQUIRE(kept(std::nextafter(above, 0)) == from_there);
      }
    }
  }
}

TEST_CASE("a million doubles are stored as the integers of their bits say", "[dtype]") {
  Random random(5);
  for (int i = 0; i < 500000; ++i) {
    const auto exponent = static_cast<int>(i % 8 == 0 ? random.integer(-1074, 1023) : random.integer(-30, 20));
    double number = std::ldexp(random.uniform() - 0.5, exponent);
    if (i % 16 == 1) number = std::bit_cast<double>(random.bits());
    if (i % 16 == 2) number = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.integer(-140, -110)));
    for (const Layout& layout : layouts) {
      CAPTURE(name(layout.dtype), number);
      REQUIRE(same(stored(number, layout.dtype), decoded(encoded(number, layout), layout)));
    }
  }
}

TEST_CASE("numbers are rounded once, not to a float first", "[dtype]") {
  // A float would turn each of these into a tie, and the tie goes the other way.
  CHECK(stored(1 + 0x1p-8 + 0x1p-40, Dtype::bf16) == 1 + 0x1p-7);
  CHECK(stored(1 + 3 * 0x1p-8 - 0x1p-40, Dtype::bf16) == 1 + 0x1p-7);
  CHECK(stored(1 + 0x1p-11 + 0x1p-50, Dtype::f16) == 1 + 0x1p-10);
  CHECK(stored(0x1p-134 + 0x1p-180, Dtype::bf16) == 0x1p-133);
  CHECK(stored(0x1p-25 + 0x1p-70, Dtype::f16) == 0x1p-24);
}

TEST_CASE("numbers of 16 bits have their ends where the standards say", "[dtype]") {
  struct Case {
    double number;
    Dtype dtype;
    double expected;
  };
  const auto c = GENERATE(values<Case>({
      {65504, Dtype::f16, 65504},
      {65519.99, Dtype::f16, 65504},
      {65520, Dtype::f16, infinity},
      {-1e9, Dtype::f16, -infinity},
      {-1e9, Dtype::bf16, -998244352},
      {0x1.fep127, Dtype::bf16, 0x1.fep127},
      {0x1.ffp127, Dtype::bf16, infinity},
      {0x1.fefffffffffffp127, Dtype::bf16, 0x1.fep127},
      {0x1p-24, Dtype::f16, 0x1p-24},
      {0x1p-25, Dtype::f16, 0},
      {-0x1p-25, Dtype::f16, -0.0},
      {0x1.8p-25, Dtype::f16, 0x1p-24},
      {0x1p-134, Dtype::bf16, 0},
      {-0.0, Dtype::bf16, -0.0},
      {1.0 / 3, Dtype::bf16, 0.333984375},
      {1.0 / 3, Dtype::f16, 0.333251953125},
      {257, Dtype::bf16, 256},
      {2049, Dtype::f16, 2048},
      {0.1, Dtype::f32, 0.100000001490116119384765625},
      {0.1, Dtype::f64, 0.1},
      {std::nan(""), Dtype::bf16, std::nan("")},
      {-infinity, Dtype::f16, -infinity},
  }));
  CAPTURE(c.number, name(c.dtype));
  CHECK(same(stored(c.number, c.dtype), c.expected));
}

TEST_CASE("numbers of 16 bits are spelled with the fewest digits that read back", "[dtype]") {
  for (const Layout& layout : layouts) {
    for (std::uint64_t pattern = 1; pattern < layout.infinite(); ++pattern) {
      const double number = decoded(pattern, layout);
      const std::string text = shortest(number, layout.dtype);
      CAPTURE(name(layout.dtype), pattern, text);
      double read = 0;
      REQUIRE(parse_number(text, read));
      REQUIRE(stored(read, layout.dtype) == number);
      REQUIRE(shortest(-number, layout.dtype) == "-" + text);

      // The digits of the decimal, and whether one digit fewer would do: either
      // of the two decimals around the number.
      std::string digits = text.substr(0, text.find('e'));
      std::erase(digits, '.');
      digits.erase(0, digits.find_first_not_of('0'));
      digits.erase(digits.find_last_not_of('0') + 1);
      REQUIRE(digits.size() <= 5);
      const double magnitude = std::floor(std::log10(number));
      const auto fewer = static_cast<double>(digits.size()) - 1;
      const double unit = std::pow(10.0, magnitude - fewer + 1);
      if (fewer == 0) continue;
      for (const double decimal : {std::floor(number / unit) * unit, std::ceil(number / unit) * unit}) {
        REQUIRE(stored(decimal, layout.dtype) != number);
      }
    }
  }
}

TEST_CASE("digits are those of the dtype", "[dtype]") {
  CHECK(shortest(1.0 / 3, Dtype::f64) == "0.3333333333333333");
  CHECK(shortest(stored(1.0 / 3, Dtype::f32), Dtype::f32) == "0.33333334");
  CHECK(shortest(0.333251953125, Dtype::f16) == "0.3333");
  CHECK(shortest(0.333984375, Dtype::bf16) == "0.334");
  CHECK(shortest(65504, Dtype::f16) == "65500");  // as numpy has it
  CHECK(shortest(0x1p-24, Dtype::f16) == "6e-8");
  CHECK(shortest(0x1.fep127, Dtype::bf16) == "3.39e38");
  CHECK(shortest(-infinity, Dtype::f16) == "-inf");
  CHECK(shortest(std::nan(""), Dtype::bf16) == "nan");
  CHECK(shortest(-0.0, Dtype::bf16) == "0");
}

TEST_CASE("numbers have places in every dtype", "[dtype]") {
  for (const Dtype dtype : dtypes) {
    CAPTURE(name(dtype));
    CHECK(place_among(0, dtype) == 0);
    CHECK(place_among(-0.0, dtype) == 0);
    CHECK(place_among(1 + step_at_one(dtype), dtype) - place_among(1, dtype) == 1);
    CHECK(place_among(-1, dtype) == -place_among(1, dtype));
  }
  CHECK(place_among(std::numeric_limits<double>::denorm_min(), Dtype::f64) == 1);
  CHECK(place_among(infinity, Dtype::f64) - place_among(std::numeric_limits<double>::max(), Dtype::f64) == 1);
  CHECK(place_among(0.1, Dtype::f64) == static_cast<std::int64_t>(bits(0.1)));
  CHECK(place_among(infinity, Dtype::f32) == 0x7f800000);
}

TEST_CASE("dtypes have names", "[dtype]") {
  for (const Dtype dtype : dtypes) CHECK(dtype_named(name(dtype)) == dtype);
  CHECK(name(Dtype::bf16) == "bf16");
  CHECK_FALSE(dtype_named("f8"));
}

TEST_CASE("dtypes are called as frameworks call them", "[dtype]") {
  for (const Dtype dtype : dtypes) CHECK(dtype_called(name(dtype)) == dtype);
  for (const char* called : {"float64", "double", "fp64"}) CHECK(dtype_called(called) == Dtype::f64);
  for (const char* called : {"float32", "float", "single", "fp32"}) CHECK(dtype_called(called) == Dtype::f32);
  for (const char* called : {"float16", "half", "fp16"}) CHECK(dtype_called(called) == Dtype::f16);
  CHECK(dtype_called("bfloat16") == Dtype::bf16);
  for (const char* nothing : {"", "float8", "int32", "Float32", "float "}) CHECK_FALSE(dtype_called(nothing));
  CHECK_FALSE(dtype_named("float32"));
}
