#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <mpfr.h>
#include <vector>

#include "base/random.h"
#include "catch.h"

// How far results are from the exact values, which MPFR knows.

namespace measuring {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double least = std::numeric_limits<double>::denorm_min();
inline constexpr double largest = std::numeric_limits<double>::max();

inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

inline double uniform(attn::Random& random, double from, double to) { return from + (to - from) * random.uniform(); }

// A double of either sign, each exponent of 2 within the limits as likely as
// the others.
inline double of_any_size(attn::Random& random, int lowest_exponent, int highest_exponent) {
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

// Sanitizers slow the arithmetic down, and look for other faults.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int share = 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int share = 4;
#else
inline constexpr int share = 1;
#endif
#else
inline constexpr int share = 1;
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

inline void check_within(double limit, Worst worst) {
  INFO(worst.measured << " measured; the worst is that of " << std::hexfloat << worst.x);
  CHECK(worst.measured > 1000);
  CHECK(worst.ulps <= limit);
}

// The double `steps` neighbours further up, or down.
inline double neighbour(double x, int steps) {
  for (; steps > 0; --steps) x = std::nextafter(x, infinity);
  for (; steps < 0; ++steps) x = std::nextafter(x, -infinity);
  return x;
}

inline void append_neighbourhood(std::vector<double>& arguments, double x, int reach) {
  for (int steps = -reach; steps <= reach; ++steps) arguments.push_back(neighbour(x, steps));
}

template <class Draw>
std::vector<double> drawn(int count, std::uint64_t seed, Draw draw) {
  attn::Random random(seed);
  std::vector<double> arguments(static_cast<std::size_t>(count / share));
  for (double& x : arguments) x = draw(random);
  return arguments;
}

}  // namespace measuring
