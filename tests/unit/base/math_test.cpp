#include "base/math.h"

#include <string_view>
#include <vector>

#include "base/exp_table.h"
#include "unit/base/measure.h"

using namespace measuring;  // NOLINT(google-build-using-namespace)

TEST_CASE("exp has the right value where the exact one is special", "[math]") {
  struct Case {
    std::string_view what;
    double x;
    double expected;
  };
  const auto c = GENERATE(values<Case>({
      {"zero", 0.0, 1.0},
      {"negative zero", -0.0, 1.0},
      {"one", 1.0, 0x1.5bf0a8b145769p+1},
      {"minus one", -1.0, 0x1.78b56362cef38p-2},
      {"the least positive number", least, 1.0},
      {"the last argument that gives 1", 0x1p-53, 1.0},
      {"the first argument that does not", 0x1.0000000000001p-53, 1 + 0x1p-52},
      {"infinity", infinity, infinity},
      {"minus infinity", -infinity, 0.0},
      {"not a number", not_a_number, not_a_number},
      {"negative not a number", -not_a_number, not_a_number},
      {"the last finite result", 0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023},
      {"overflow begins", 0x1.62e42fefa39f0p+9, infinity},
      {"far into overflow", largest, infinity},
      {"the last normal result", -0x1.6232bdd7abcd2p+9, 0x1.000000000007cp-1022},
      {"a subnormal result", -0x1.6232bdd7abcd3p+9, 0x0.ffffffffffe7cp-1022},
      {"the last result above zero", -0x1.74910d52d3051p+9, least},
      {"underflow to zero begins", -0x1.74910d52d3052p+9, 0.0},
      {"far into underflow", -largest, 0.0},
  }));
  INFO(c.what);
  CHECK(bits(attn::exp(c.x)) == bits(c.expected));
}

TEST_CASE("exp of a float is the double result rounded", "[math]") {
  struct Case {
    std::string_view what;
    float x;
    float expected;
  };
  const auto c = GENERATE(values<Case>({
      {"zero", 0.0f, 1.0f},
      {"one", 1.0f, 0x1.5bf0a8p+1f},
      {"the last finite result", 0x1.62e42ep+6f, 0x1.ffff08p+127f},
      {"overflow begins", 0x1.62e430p+6f, std::numeric_limits<float>::infinity()},
      {"the last result above zero", -0x1.9fe368p+6f, 0x1p-149f},
      {"underflow to zero begins", -0x1.9fe36ap+6f, 0.0f},
      {"infinity", std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()},
      {"minus infinity", -std::numeric_limits<float>::infinity(), 0.0f},
      {"not a number", std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()},
  }));
  INFO(c.what);
  CHECK(bits(attn::exp(c.x)) == bits(c.expected));
}

TEST_CASE("log has the right value where the exact one is special", "[math]") {
  struct Case {
    std::string_view what;
    double x;
    double expected;
  };
  const auto c = GENERATE(values<Case>({
      {"one", 1.0, 0.0},
      {"two", 2.0, 0x1.62e42fefa39efp-1},
      {"ten", 10.0, 0x1.26bb1bbb55516p+1},
      {"a half", 0.5, -0x1.62e42fefa39efp-1},
      {"just above one", 1 + 0x1p-52, 0x1.fffffffffffffp-53},
      {"just below one", 1 - 0x1p-53, -0x1.0000000000000p-53},
      {"zero", 0.0, -infinity},
      {"negative zero", -0.0, -infinity},
      {"below zero", -1.0, not_a_number},
      {"just below zero", -least, not_a_number},
      {"infinity", infinity, infinity},
      {"minus infinity", -infinity, not_a_number},
      {"not a number", not_a_number, not_a_number},
      {"negative not a number", -not_a_number, not_a_number},
      {"the least normal number", std::numeric_limits<double>::min(), -0x1.6232bdd7abcd2p+9},
      {"the least positive number", least, -0x1.74385446d71c3p+9},
      {"the largest number", largest, 0x1.62e42fefa39efp+9},
  }));
  INFO(c.what);
  CHECK(bits(attn::log(c.x)) == bits(c.expected));
}

TEST_CASE("exp of nothing above zero exceeds 1", "[math]") {
  attn::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double x = -std::abs(of_any_size(random, -1022, 9));
    INFO(std::hexfloat << x);
    REQUIRE(attn::exp(x) <= 1);
    REQUIRE(attn::exp(x) >= 0);
  }
}

// The bits themselves, so that a machine, a compiler or a flag that changes one
// is noticed. If the functions are changed on purpose, the sums change too.
TEST_CASE("exp and log give the same bits everywhere", "[math]") {
  Checksum exps;
  Checksum logs;
  attn::Random random(2024);
  for (int i = 0; i < 100000; ++i) {
    exps.add(attn::exp(i % 2 == 0 ? uniform(random, -746, 710) : of_any_size(random, -60, 9)));
    logs.add(attn::log(i % 2 == 0 ? uniform(random, 0, 3) : std::bit_cast<double>(random.bits() >> 1)));
  }
  CHECK(exps.sum() == 0x13e918fe6eeee12a);
  CHECK(logs.sum() == 0xfb4e30fabb7417e6);
}

namespace {

Worst worst_exp(const std::vector<double>& arguments) {
  Measure measure(mpfr_exp, 53, -1074);
  for (double x : arguments) measure.add(x, attn::exp(x));
  return measure.worst();
}

Worst worst_log(const std::vector<double>& arguments) {
  Measure measure(mpfr_log, 53, -1074);
  for (double x : arguments) measure.add(x, attn::log(x));
  return measure.worst();
}

}  // namespace

TEST_CASE("the table of exp holds powers of two and its steps to the last bit", "[math][mpfr]") {
  Real exact;
  for (int j = 0; j < 128; ++j) {
    CAPTURE(j);
    mpfr_set_si(exact, j, MPFR_RNDN);
    mpfr_div_si(exact, exact, 128, MPFR_RNDN);
    mpfr_exp2(exact, exact, MPFR_RNDN);
    CHECK(attn::exp_table::powers[j].hi == mpfr_get_d(exact, MPFR_RNDN));
    mpfr_sub_d(exact, exact, attn::exp_table::powers[j].hi, MPFR_RNDN);
    CHECK(attn::exp_table::powers[j].lo == mpfr_get_d(exact, MPFR_RNDN));
  }

  mpfr_const_log2(exact, MPFR_RNDN);
  mpfr_div_si(exact, exact, 128, MPFR_RNDN);
  mpfr_sub_d(exact, exact, attn::exp_table::step_hi, MPFR_RNDN);
  CHECK(attn::exp_table::step_lo == mpfr_get_d(exact, MPFR_RNDN));
  CHECK(std::fmod(attn::exp_table::step_hi, 0x1p-42) == 0);

  mpfr_const_log2(exact, MPFR_RNDN);
  mpfr_si_div(exact, 128, exact, MPFR_RNDN);
  CHECK(attn::exp_table::steps_per_unit == mpfr_get_d(exact, MPFR_RNDN));
}

TEST_CASE("exp is within 0.52 ulp of the exact value", "[math][mpfr]") {
  SECTION("anywhere") {
    check_within(0.52, worst_exp(drawn(450000, 1, [](auto& r) { return uniform(r, -745.2, 709.78); })));
  }
  SECTION("at every size of the argument") {
    check_within(0.52, worst_exp(drawn(250000, 2, [](auto& r) { return of_any_size(r, -60, 8); })));
  }
  SECTION("in the range of differences from a maximum") {
    check_within(0.52, worst_exp(drawn(150000, 3, [](auto& r) { return uniform(r, -30, 0); })));
  }
  SECTION("where the result is subnormal") {
    check_within(0.52, worst_exp(drawn(150000, 4, [](auto& r) { return uniform(r, -745.14, -708.39); })));
  }
  SECTION("around the places where another table entry takes over, and halfway") {
    std::vector<double> arguments;
    for (int half_steps = -275200; half_steps < 262144; half_steps += 17 * share) {
      const double x = 0.5 * half_steps / attn::exp_table::steps_per_unit;
      append_neighbourhood(arguments, x, 2);
    }
    check_within(0.52, worst_exp(arguments));
  }
  SECTION("around the ends of ranges") {
    std::vector<double> arguments;
    for (double x : {0x1.62e42fefa39efp+9 - 0x1p-42, 745.13, 709.78, 88.72, 11.09, 1.0, 0.5, 0x1p-10, 0x1p-27, 0x1p-53,
                     0x1p-54, 0x1p-60, 0x1p-200, 0x1p-1022}) {
      append_neighbourhood(arguments, x, 20);
      append_neighbourhood(arguments, -x, 20);
    }
    for (double x : {-708.4, -708.3964185322641, -745.1332191019411, -744.4400719213812, -0x1.62e42fefa39efp+9}) {
      append_neighbourhood(arguments, x, 200);
    }
    std::erase_if(arguments, [](double x) { return x > 0x1.62e42fefa39efp+9; });
    check_within(0.52, worst_exp(arguments));
  }
}

TEST_CASE("exp of a float is within 0.50001 ulp of the exact value", "[math][mpfr]") {
  Measure measure(mpfr_exp, 24, -149);
  for (double x : drawn(100000, 5, [](auto& r) { return uniform(r, -104, 88.72); })) {
    const auto argument = static_cast<float>(x);
    measure.add(argument, attn::exp(argument));
  }
  for (float x : {88.72f, 87.0f, -87.33f, -88.0f, -103.97f, 0x1p-24f}) {
    for (int i = 0; i < 100; ++i) {
      measure.add(x, attn::exp(x));
      x = std::nextafter(x, 0.0f);
    }
  }
  check_within(0.50001, measure.worst());
}

TEST_CASE("log is within 0.65 ulp of the exact value", "[math][mpfr]") {
  SECTION("at every size of the argument, subnormal ones too") {
    check_within(0.65, worst_log(drawn(250000, 6, [](auto& r) { return std::abs(of_any_size(r, -1074, 1023)); })));
  }
  SECTION("between a half and two") {
    check_within(0.65, worst_log(drawn(250000, 7, [](auto& r) { return uniform(r, 0.5, 2); })));
  }
  SECTION("near one") {
    check_within(0.65, worst_log(drawn(200000, 8, [](auto& r) { return uniform(r, 0.92, 1.08); })));
  }
  SECTION("ever nearer to one") {
    check_within(0.65, worst_log(drawn(50000, 9, [](auto& r) { return 1 + of_any_size(r, -52, -5); })));
  }
  SECTION("around the places where another table entry takes over") {
    std::vector<double> arguments;
    for (const auto& power : attn::exp_table::powers) {
      for (double scale : {1.0, 0.5, 0x1p-1060, 0x1p-1022, 0x1p-500, 0x1p1023}) {
        append_neighbourhood(arguments, power.hi * scale, 20);
      }
    }
    check_within(0.65, worst_log(arguments));
  }
  SECTION("around the ends of ranges") {
    std::vector<double> arguments;
    for (double x : {1 + 0x1.1p-4, 1 - 0x1.1p-4, 1.0, 2.0, 0.5, 0x1p-1022}) append_neighbourhood(arguments, x, 2000);
    for (int i = 1; i < 2000; ++i) arguments.push_back(i * least);
    check_within(0.65, worst_log(arguments));
  }
}
