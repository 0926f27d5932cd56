#include <limits>
#include <mpfr.h>

#include "base/math.h"

// The functions of base/math.h that are called too seldom to be worth being
// fast: MPFR works them out to 113 bits, and one rounding makes a double of
// that, subnormal or not. MPFR promises the same result on every machine.
// Nothing else of the program knows MPFR.

namespace attn {
namespace {

// What MPFR keeps for a thread goes when the thread does.
struct KeptByMpfr {
  ~KeptByMpfr() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

class Real {
 public:
  Real() {
    static thread_local const KeptByMpfr kept;
    mpfr_init2(value_, 113);
  }
  explicit Real(double number) : Real() { mpfr_set_d(value_, number, MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

double as_double(Real& result) {
  // Which NaN MPFR gives depends on the machine.
  if (mpfr_nan_p(result.get())) return std::numeric_limits<double>::quiet_NaN();
  return mpfr_get_d(result.get(), MPFR_RNDN);
}

using OfOne = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

double rounded_result(OfOne function, double x) {
  Real number(x);
  function(number.get(), number.get(), MPFR_RNDN);
  return as_double(number);
}

}  // namespace

double sin(double x) { return rounded_result(mpfr_sin, x); }
double cos(double x) { return rounded_result(mpfr_cos, x); }
double erf(double x) { return rounded_result(mpfr_erf, x); }

double pow(double x, double y) {
  Real base(x);
  Real exponent(y);
  mpfr_pow(base.get(), base.get(), exponent.get(), MPFR_RNDN);
  return as_double(base);
}

float sin(float x) { return static_cast<float>(sin(static_cast<double>(x))); }
float cos(float x) { return static_cast<float>(cos(static_cast<double>(x))); }
float erf(float x) { return static_cast<float>(erf(static_cast<double>(x))); }
float pow(float x, float y) { return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y))); }

}  // namespace attn
