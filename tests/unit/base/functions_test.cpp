#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/math.h"
#include "unit/base/measure.h"

using namespace measuring;  // NOLINT(google-build-using-namespace)

namespace {

using Computed = double (*)(double);
using ComputedFloat = float (*)(float);

Worst worst_of(Exact exact, Computed function, const std::vector<double>& arguments) {
  Measure measure(exact, 53, -1074);
  for (double x : arguments) measure.add(x, function(x));
  return measure.worst();
}

Worst worst_of_floats(Exact exact, ComputedFloat function, const std::vector<double>& arguments) {
  Measure measure(exact, 24, -149);
  for (double x : arguments) {
    const auto argument = static_cast<float>(x);
    measure.add(argument, function(argument));
  }
  return measure.worst();
}

std::vector<double> every_size(int count, std::uint64_t seed) {
  return drawn(count, seed, [](auto& r) { return of_any_size(r, -1074, 1023); });
}

std::vector<double> between(int count, std::uint64_t seed, double from, double to) {
  return drawn(count, seed, [=](auto& r) { return uniform(r, from, to); });
}

}  // namespace

TEST_CASE("tanh, sin, cos and erf have the published digits, and the special values of IEEE 754", "[math]") {
  struct Case {
    std::string_view what;
    Computed function;
    double x;
    double expected;
  };
  const Computed tanh = attn::tanh, sin = attn::sin, cos = attn::cos, erf = attn::erf;
  const auto c = GENERATE_COPY(values<Case>({
      {"tanh 1", tanh, 1, 0.76159415595576488812},
      {"tanh 1/2", tanh, 0.5, 0.46211715726000975850},
      {"tanh -1", tanh, -1, -0.76159415595576488812},
      {"tanh 0", tanh, 0.0, 0.0},
      {"tanh -0", tanh, -0.0, -0.0},
      {"tanh of the least number", tanh, least, least},
      {"tanh -> 1", tanh, 19.5, 1.0},
      {"tanh inf", tanh, infinity, 1.0},
      {"tanh -inf", tanh, -infinity, -1.0},
      {"tanh nan", tanh, -not_a_number, not_a_number},
      {"sin 1", sin, 1, 0.84147098480789650665},
      // What Ng (1992), "Argument reduction for huge arguments", holds libraries to.
      {"sin 10^22", sin, 1e22, -0.85220084976718880177},
      {"cos 10^22", cos, 1e22, 0.52321478539513894549},
      {"sin -0", sin, -0.0, -0.0},
      {"sin inf", sin, infinity, not_a_number},
      {"sin nan", sin, not_a_number, not_a_number},
      {"sin of the least number", sin, least, least},
      {"cos 0", cos, 0, 1},
      {"cos 1", cos, 1, 0.54030230586813971740},
      {"cos -inf", cos, -infinity, not_a_number},
      {"cos of pi/2, the double", cos, 0x1.921fb54442d18p+0, 6.1232339957367658860e-17},
      // Abramowitz and Stegun, table 7.1.
      {"erf 1/2", erf, 0.5, 0.52049987781304653768},
      {"erf 1", erf, 1, 0.84270079294971486934},
      {"erf 2", erf, 2, 0.99532226501895273416},
      {"erf -0", erf, -0.0, -0.0},
      {"erf inf", erf, infinity, 1.0},
      {"erf -inf", erf, -infinity, -1.0},
      {"erf of the least number", erf, least, least},
      {"erf nan", erf, not_a_number, not_a_number},
  }));
  INFO(c.what);
  CHECK(bits(c.function(c.x)) == bits(c.expected));
}

TEST_CASE("pow has the special values of IEEE 754", "[math]") {
  struct Case {
    double x, y, expected;
  };
  const auto c = GENERATE(values<Case>({
      {2, 10, 1024},
      {3, -2, 1.0 / 9},
      {10000, 0.5, 100},
      {2, 0.5, 1.41421356237309504880},
      {10, 308, 1e308},
      {10, 309, infinity},
      {2, -1074, least},
      {2, -1075, 0},
      {2, -1074.5, least},
      {not_a_number, 0, 1},
      {1, not_a_number, 1},
      {not_a_number, 1, not_a_number},
      {-8, 1.0 / 3, not_a_number},
      {-2, 3, -8},
      {0.0, -1, infinity},
      {-0.0, -1, -infinity},
      {-0.0, -2, infinity},
      {-0.0, 3, -0.0},
      {0.5, infinity, 0},
      {2, infinity, infinity},
      {2, -infinity, 0},
      {-1, infinity, 1},
      {infinity, -1, 0},
      {-infinity, 3, -infinity},
      {1 + 0x1p-52, 0x1p52, 2.7182818284590449329},
      {largest, largest, infinity},
      {largest, -largest, 0},
  }));
  CAPTURE(c.x, c.y);
  CHECK(bits(attn::pow(c.x, c.y)) == bits(c.expected));
}

TEST_CASE("tanh is within 0.53 ulp of the exact value", "[math][mpfr]") {
  const auto limit = 0.53;
  SECTION("at every size") { check_within(limit, worst_of(mpfr_tanh, attn::tanh, every_size(100000, 1))); }
  SECTION("where it bends") { check_within(limit, worst_of(mpfr_tanh, attn::tanh, between(300000, 2, -20.5, 20.5))); }
  SECTION("near zero") { check_within(limit, worst_of(mpfr_tanh, attn::tanh, between(200000, 3, -0.3, 0.3))); }
  SECTION("around the ends of its ranges") {
    std::vector<double> arguments;
    for (double x : {0x1p-28, 0.125, 20.0, 19.0615, 18.7}) append_neighbourhood(arguments, x, 5000 / share);
    check_within(limit, worst_of(mpfr_tanh, attn::tanh, arguments));
  }
}

TEST_CASE("the error function is the exact value rounded, between the nodes of its table and at them", "[math][mpfr]") {
  const auto limit = 0.5000001;
  SECTION("all over its range") { check_within(limit, worst_of(mpfr_erf, attn::erf, between(100000, 11, -6.5, 6.5))); }
  SECTION("where hidden numbers lie") {
    check_within(limit, worst_of(mpfr_erf, attn::erf, between(100000, 12, -2, 2)));
  }
  SECTION("at nodes, and half way between two") {
    std::vector<double> arguments;
    for (int i = 1; i <= 2 * 6 * 128 + 4; ++i) append_neighbourhood(arguments, i / 256.0, 20);
    check_within(limit, worst_of(mpfr_erf, attn::erf, arguments));
  }
}

TEST_CASE("tanh stays within 1, is odd and never falls", "[math]") {
  double before = 0;
  for (int i = 0; i <= 210000; ++i) {
    const double x = i * 1e-4;
    const double y = attn::tanh(x);
    REQUIRE(y <= 1);
    REQUIRE(y >= before);
    REQUIRE(attn::tanh(-x) == -y);
    before = y;
  }
  for (double x : {0x1p-28, 0.125, 0.2746, 1.0, 20.0}) {
    x = neighbour(x, -20000);
    before = attn::tanh(x);
    for (int i = 0; i < 40000; ++i) {
      x = neighbour(x, 1);
      REQUIRE(attn::tanh(x) >= before);
      before = attn::tanh(x);
    }
  }
}

TEST_CASE("sin and cos are the exact values rounded, for every angle", "[math][mpfr]") {
  const auto limit = 0.5000001;
  for (const auto& [exact, function] : {std::pair<Exact, Computed>{mpfr_sin, attn::sin}, {mpfr_cos, attn::cos}}) {
    check_within(limit, worst_of(exact, function, every_size(100000, 4)));
    check_within(limit, worst_of(exact, function, between(50000, 5, -100, 100)));
    std::vector<double> arguments;
    // Multiples of pi/2 as doubles: the results are as small as they get.
    for (int i = 1; i < 500; ++i) append_neighbourhood(arguments, i * 0x1.921fb54442d18p+0, 2);
    append_neighbourhood(arguments, 0x1.6ac5b262ca1ffp+849, 2);  // the double nearest to any multiple
    check_within(limit, worst_of(exact, function, arguments));
  }
}

TEST_CASE("erf is the exact value rounded", "[math][mpfr]") {
  check_within(0.5000001, worst_of(mpfr_erf, attn::erf, between(50000, 6, -6.1, 6.1)));
  check_within(0.5000001, worst_of(mpfr_erf, attn::erf, every_size(60000, 7)));
}

TEST_CASE("pow is the exact value rounded", "[math][mpfr]") {
  static Real exponent;
  const Exact exact = [](mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t) {
    return mpfr_pow(result, x, exponent, MPFR_RNDZ);
  };
  Measure measure(exact, 53, -1074);
  attn::Random random(8);
  for (int i = 0; i < 100000 / share; ++i) {
    const double x = std::abs(of_any_size(random, i % 2 == 0 ? -1074 : -5, i % 2 == 0 ? 1023 : 5));
    const double most = 1080 / std::max(0.1, std::abs(std::log2(x)));
    const double y = uniform(random, -most, most);
    const double result = attn::pow(x, y);
    if (std::isinf(result)) continue;
    mpfr_set_d(exponent, y, MPFR_RNDN);
    measure.add(x, result);
  }
  check_within(0.5000001, measure.worst());
}

TEST_CASE("for floats the functions are within 0.50001 ulp", "[math][mpfr]") {
  const auto sizes = drawn(100000, 9, [](auto& r) { return of_any_size(r, -149, 127); });
  const auto near = between(100000, 10, -12, 12);
  check_within(0.50001, worst_of_floats(mpfr_tanh, attn::tanh, sizes));
  check_within(0.50001, worst_of_floats(mpfr_tanh, attn::tanh, near));
  check_within(0.50001, worst_of_floats(mpfr_sin, attn::sin, sizes));
  check_within(0.50001, worst_of_floats(mpfr_cos, attn::cos, near));
  check_within(0.50001, worst_of_floats(mpfr_erf, attn::erf, between(20000, 11, -4, 4)));
  CHECK(bits(attn::pow(2.0F, 0.5F)) == bits(1.41421356F));
  CHECK(bits(attn::pow(2.0F, -149.0F)) == bits(0x1p-149F));
}

TEST_CASE("functions of an interval hold the results of the numbers in it", "[math]") {
  attn::Random random(12);
  for (int i = 0; i < 20000; ++i) {
    const double low = uniform(random, -5, 5);
    const double inside = low + random.uniform();
    const attn::Interval interval(low, inside + random.uniform());
    REQUIRE(attn::tanh(interval).contains(attn::tanh(inside)));
    REQUIRE(attn::tanh(interval).width() <= interval.width() + 1e-15);
    if (i % 10 != 0) continue;  // pow is slow
    for (double base : {3.0, 0.25}) REQUIRE(attn::pow(base, interval).contains(attn::pow(base, inside)));
    const attn::Interval bases(0.5 + random.uniform(), 2.0 + random.uniform());
    REQUIRE(attn::pow(bases, interval).contains(attn::pow(1.75, inside)));
  }
  CHECK(attn::tanh(attn::Interval(0)) == attn::Interval(0));
  CHECK(attn::tanh(attn::Interval(-infinity, infinity)) == attn::Interval(-1, 1));
  CHECK(attn::pow(attn::Interval(3), attn::Interval(0)) == attn::Interval(1));
  CHECK(attn::pow(attn::Interval(3), attn::Interval(-infinity, 0)).low == 0);
}

TEST_CASE("the square root of what rounding took below zero is next to zero", "[math]") {
  const attn::Interval root = sqrt(attn::Interval(-1e-20));
  CHECK(root.contains(0));
  CHECK(root.low == 0);
  CHECK(root.high < 1e-300);
}

TEST_CASE("no direction has the angle 0, and what is infinite has none", "[math]") {
  CHECK(attn::atan2(0, 0) == 0);
  CHECK(attn::atan2(-0.0, 0) == 0);
  for (double y : {0.0, 1.0, infinity}) {
    CHECK(std::isnan(attn::atan2(y, infinity)));
    CHECK(std::isnan(attn::atan2(infinity, y)));
  }
}

// The bits themselves, so that a machine, a compiler or a library that changes
// one is noticed.
TEST_CASE("tanh, sin, cos, erf and pow give the same bits everywhere", "[math]") {
  Checksum sum;
  attn::Random random(2025);
  for (int i = 0; i < 20000; ++i) {
    const double x = i % 2 == 0 ? uniform(random, -20, 20) : of_any_size(random, -1074, 1023);
    sum.add(attn::tanh(x));
    sum.add(attn::sin(x));
    sum.add(attn::cos(x));
    if (i % 5 == 0) sum.add(attn::erf(x));
    sum.add(attn::pow(std::abs(x), uniform(random, -5, 5)));
  }
  CHECK(sum.sum() == 0xc089a4bb450754b7);
}
