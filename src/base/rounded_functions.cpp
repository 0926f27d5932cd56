#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <gmp.h>
#include <limits>
#include <mpfr.h>
#include <optional>
#include <utility>

#include "base/math.h"
#include "base/memory_shortage.h"
#include "base/thread_end.h"

// The functions of base/math.h that are called too seldom to be worth being
// fast, but for the error function: MPFR works them out, and rounds the exact value once,
// to as many bits as a double has there, subnormal or not: what it promises, on every machine.
// Nothing else of the program knows MPFR.

namespace attn {
namespace {

void free_caches(void*) { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }

// What MPFR keeps for a thread goes when the thread does.
void free_with_thread() {
  static thread_local bool is_known = false;
  if (!std::exchange(is_known, true)) keep_until_thread_ends<free_caches>(&is_known);
}

constexpr mpfr_prec_t bits_of_double = 53, more_bits = 113;

class Real {
 public:
  explicit Real(mpfr_prec_t bits) {
    free_with_thread();
    mpfr_init2(value_, bits);
  }
  Real(mpfr_prec_t bits, double number) : Real(bits) { mpfr_set_d(value_, number, MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

double as_double(Real& result) {
  // Which NaN MPFR gives depends on the machine.
  if (mpfr_nan_p(result.get())) return std::numeric_limits<double>::quiet_NaN();
  return mpfr_get_d(result.get(), MPFR_RNDN);
}

// While it lives, a result has an exponent that a double can have, or is infinite or 0.
class ExponentsOfDoubles {
 public:
  ExponentsOfDoubles() {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
  }
  ~ExponentsOfDoubles() {
    mpfr_set_emin(least_);
    mpfr_set_emax(most_);
  }
  ExponentsOfDoubles(const ExponentsOfDoubles&) = delete;
  ExponentsOfDoubles& operator=(const ExponentsOfDoubles&) = delete;

 private:
  mpfr_exp_t least_ = mpfr_get_emin(), most_ = mpfr_get_emax();
};

// What compute(result) makes, which returns MPFR's word on how it rounded.
template <class Compute>
double rounded_once(Compute compute) {
  const ExponentsOfDoubles range;
  Real result(bits_of_double);
  const int how = compute(result.get());
  mpfr_subnormalize(result.get(), how, MPFR_RNDN);
  return as_double(result);
}

using OfOne = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

double rounded_result(OfOne function, double x) {
  const Real number(bits_of_double, x);
  return rounded_once([&](mpfr_ptr result) { return function(result, number.get(), MPFR_RNDN); });
}

// The error function is called for every hidden number of a network. So most of its
// results come of a table: erf(a + h) = erf(a) + erf′(a)·(h − a·h² + …), for the
// nearest a of 1/128, 2/128, …, and only those that lie too near the middle between
// two doubles for that are worked out.
class ErfTable {
 public:
  static constexpr double from = 1.0 / 64, to = 6, steps = 128;

  ErfTable() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i] = node(static_cast<double>(i) / steps);
  }

  // Nothing where two doubles are too near. REQUIRES: from <= x < to.
  std::optional<double> erf(double x) const {
    const double nearest = std::round(x * steps);
    const double a = nearest / steps, h = x - a;  // exact
    const Node& node = nodes_[static_cast<std::size_t>(nearest)];
    const double change = node.slope * taylor(a, h);
    const double rest = node.low + change;
    // Of the change five roundings, of which the slope's is one; a·h is so small that those of
    // the inner terms add less than another.
    const double error = 6 * 0x1p-53 * std::abs(change) + 0x1p-100;
    const double result = node.high + (rest + error);
    return result == node.high + (rest - error) ? std::optional(result) : std::nullopt;
  }

 private:
  struct Node {
    double high, low;  // erf(a), to twice the digits of a double
    double slope;      // erf′(a) = 2 / √π · e^(−a²)
  };

  static Node node(double a) {
    Real value(more_bits, a);
    mpfr_erf(value.get(), value.get(), MPFR_RNDN);
    const double high = as_double(value);
    mpfr_sub_d(value.get(), value.get(), high, MPFR_RNDN);
    Real power(more_bits, -a * a), root(more_bits);
    mpfr_exp(power.get(), power.get(), MPFR_RNDN);
    mpfr_const_pi(root.get(), MPFR_RNDN);
    mpfr_sqrt(root.get(), root.get(), MPFR_RNDN);
    mpfr_div(power.get(), power.get(), root.get(), MPFR_RNDN);
    return {high, as_double(value), 2 * as_double(power)};
  }

  // The integral of e^(a² − (a + t)²) over t from 0 to h. The powers of t in it have
  // coefficients w₀ = 1, w₁ = −2a, (n + 1)·wₙ₊₁ = −2a·wₙ − 2wₙ₋₁.
  static double taylor(double a, double h) {
    std::array<double, 10> w = {1, -2 * a};
    for (std::size_t n = 1; n + 1 < w.size(); ++n) {
      w[n + 1] = (-2 * a * w[n] - 2 * w[n - 1]) / static_cast<double>(n + 1);
    }
    double sum = 0;
    for (std::size_t n = w.size(); n-- > 0;) sum = sum * h + w[n] / static_cast<double>(n + 1);
    return sum * h;
  }

  std::array<Node, static_cast<std::size_t>(to* steps) + 1> nodes_;
};

}  // namespace

double sin(double x) { return rounded_result(mpfr_sin, x); }
double cos(double x) { return rounded_result(mpfr_cos, x); }

double erf(double x) {
  static const ErfTable table;
  const double size = std::abs(x);
  if (size >= ErfTable::to) return std::copysign(1.0, x);  // 1 − erf(6) is less than half of what 1 can lose
  if (size >= ErfTable::from) {
    if (const auto result = table.erf(size)) return std::copysign(*result, x);
  }
  return rounded_result(mpfr_erf, x);
}

double pow(double x, double y) {
  const Real base(bits_of_double, x), exponent(bits_of_double, y);
  return rounded_once([&](mpfr_ptr result) { return mpfr_pow(result, base.get(), exponent.get(), MPFR_RNDN); });
}

float sin(float x) { return static_cast<float>(sin(static_cast<double>(x))); }
float cos(float x) { return static_cast<float>(cos(static_cast<double>(x))); }
float erf(float x) { return static_cast<float>(erf(static_cast<double>(x))); }
float pow(float x, float y) { return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y))); }

namespace {

// GMP goes on with whatever it is given.
void* never_null(void* memory) {
  if (!memory) std::abort();
  return memory;
}

}  // namespace

void let_math_end_as_new_does() {
  mp_set_memory_functions(
      [](std::size_t bytes) { return never_null(memory_of([bytes] { return std::malloc(bytes); })); },
      [](void* memory, std::size_t, std::size_t bytes) {
        return never_null(memory_of([memory, bytes] { return std::realloc(memory, bytes); }));
      },
      nullptr);
}

}  // namespace attn
