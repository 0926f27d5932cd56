#include "base/math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <string_view>
#include <vector>

#include "base/exp_table.h"
#include "base/random.h"
#include "catch.h"

#ifdef ATTN_HAVE_MPFR
#include <mpfr.h>
#endif

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

double uniform(attn::Random& random, double from, double to) { return from + (to - from) * random.uniform(); }

// A double of either sign, each exponent of 2 within the limits as likely as
// the others.
double of_any_size(attn::Random& random, int lowest_exponent, int highest_exponent) {
  const auto exponent = static_cast<int>(random.integer(lowest_exponent, highest_exponent));
  const double magnitude = std::ldexp(1 + random.uniform(), exponent);
  return random.bits() % 2 == 0 ? magnitude : -magnitude;
}

// FNV-1a over the bytes of results.
class Checksum {
 public:
  void add(double x) {
    for (int shift = 0; shift < 64; shift += 8) {
      sum_ = (sum_ ^ ((bits(x) >> shift) & 0xff)) * 0x100000001b3;
    }
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace

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

#ifdef ATTN_HAVE_MPFR

namespace {

// Sanitizers slow the arithmetic down, and look for other faults.
#if defined(__SANITIZE_ADDRESS__)
constexpr int share = 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr int share = 4;
#else
constexpr int share = 1;
#endif
#else
constexpr int share = 1;
#endif

using Exact = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

// A number of 200 bits: as the truth about a double it is off by 2^-147 ulp.
class Real {
 public:
  Real() { mpfr_init2(value_, 200); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t value_;
};

struct Worst {
  double ulps = 0;
  double x = 0;
  int measured = 0;
};

// The largest distance of results from the exact values, in ulps of a format
// with `precision` bits and `lowest` as the exponent of its least number.
class Measure {
 public:
  Measure(Exact exact, int precision, int lowest) : exact_(exact), precision_(precision), lowest_(lowest) {}

  void add(double x, double result) {
    mpfr_set_d(value_, x, MPFR_RNDN);
    exact_(value_, value_, MPFR_RNDN);
    ++worst_.measured;
    if (mpfr_zero_p(value_) && result == 0) return;

    const long ulp = std::max(static_cast<long>(mpfr_get_exp(value_)) - precision_, lowest_);
    mpfr_sub_d(value_, value_, result, MPFR_RNDN);
    mpfr_mul_2si(value_, value_, -ulp, MPFR_RNDN);
    const double ulps = std::abs(mpfr_get_d(value_, MPFR_RNDN));
    if (ulps <= worst_.ulps) return;
    worst_.ulps = std::isnan(ulps) ? infinity : ulps;
    worst_.x = x;
  }
  Worst worst() const { return worst_; }

 private:
  Exact exact_;
  long precision_;
  long lowest_;
  Real value_;
  Worst worst_;
};

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

void check_within(double limit, Worst worst) {
  INFO(worst.measured << " measured; the worst is exp or log of " << std::hexfloat << worst.x);
  CHECK(worst.measured > 1000);
  CHECK(worst.ulps <= limit);
}

// The double `steps` neighbours further up, or down.
double neighbour(double x, int steps) {
  for (; steps > 0; --steps) x = std::nextafter(x, infinity);
  for (; steps < 0; ++steps) x = std::nextafter(x, -infinity);
  return x;
}

void append_neighbourhood(std::vector<double>& arguments, double x, int reach) {
  for (int steps = -reach; steps <= reach; ++steps) arguments.push_back(neighbour(x, steps));
}

template <class Draw>
std::vector<double> drawn(int count, std::uint64_t seed, Draw draw) {
  attn::Random random(seed);
  std::vector<double> arguments(static_cast<std::size_t>(count / share));
  for (double& x : arguments) x = draw(random);
  return arguments;
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

#endif
