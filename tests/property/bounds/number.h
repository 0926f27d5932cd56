#pragma once

#include <cmath>
#include <limits>
#include <mpfr.h>

namespace attn::bounds {

// So many bits have the numbers made from now on.
inline mpfr_prec_t bits = 400;

// A number of so many bits, by MPFR: exact enough to be called so.
class Exact {
 public:
  Exact(double number = 0) {  // NOLINT(google-explicit-constructor)
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, number, MPFR_RNDN);
  }
  Exact(const Exact& other) {
    mpfr_init2(value_, bits);
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Exact& operator=(const Exact& other) {
    if (this == &other) return *this;
    mpfr_set_prec(value_, bits);
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Exact() { mpfr_clear(value_); }

  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  Exact by(Unary function) const {
    Exact made;
    function(made.value_, value_, MPFR_RNDN);
    return made;
  }
  Exact by(Binary function, const Exact& other) const {
    Exact made;
    function(made.value_, value_, other.value_, MPFR_RNDN);
    return made;
  }

  Exact& operator+=(const Exact& other) {
    mpfr_add(value_, value_, other.value_, MPFR_RNDN);
    return *this;
  }
  Exact& add_product(const Exact& a, const Exact& b) {
    mpfr_fma(value_, a.value_, b.value_, value_, MPFR_RNDN);
    return *this;
  }

  double number() const { return mpfr_get_d(value_, MPFR_RNDN); }
  double above() const { return mpfr_get_d(value_, MPFR_RNDU); }
  bool is_nan() const { return mpfr_nan_p(value_) != 0; }
  bool is_zero() const { return mpfr_zero_p(value_) != 0; }
  bool is_infinite() const { return mpfr_inf_p(value_) != 0; }
  int compare(const Exact& other) const { return mpfr_cmp(value_, other.value_); }

 private:
  mpfr_t value_;
};

inline Exact operator+(const Exact& a, const Exact& b) { return a.by(mpfr_add, b); }
inline Exact operator-(const Exact& a, const Exact& b) { return a.by(mpfr_sub, b); }
inline Exact operator*(const Exact& a, const Exact& b) { return a.by(mpfr_mul, b); }
inline Exact operator/(const Exact& a, const Exact& b) { return a.by(mpfr_div, b); }
inline bool operator<(const Exact& a, const Exact& b) { return a.compare(b) < 0; }
inline Exact abs(const Exact& a) { return a.by(mpfr_abs); }
inline Exact exp(const Exact& a) { return a.by(mpfr_exp); }
inline Exact sqrt(const Exact& a) { return a.by(mpfr_sqrt); }
inline Exact tanh(const Exact& a) { return a.by(mpfr_tanh); }
inline Exact erf(const Exact& a) { return a.by(mpfr_erf); }

}  // namespace attn::bounds
