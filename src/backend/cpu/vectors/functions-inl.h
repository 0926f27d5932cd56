// Vectors of 2^x and tanh x. Included once for each instruction set.
#if defined(ATTN_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_FUNCTIONS_INL_H
#undef ATTN_FUNCTIONS_INL_H
#else
#define ATTN_FUNCTIONS_INL_H
#endif

#include <hwy/highway.h>

#include "backend/cpu/vectors/constants.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Lane = hn::TFromD<D>;

// c₀ + c₁·x + …, from the last on (Horner).
template <class D, std::size_t n>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> x, const Lane<D> (&c)[n]) {
  auto sum = hn::Set(d, c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

// What the exponents of 2^(factor · x) need besides x.
template <class D>
struct Exponent {
  static constexpr Lane<D> lowest = -(Exp2Constants<Lane<D>>::bias + Exp2Constants<Lane<D>>::raise);

  hn::Vec<D> factor, least;

  // REQUIRES: factor > 0.
  HWY_INLINE Exponent(D d, Lane<D> of) : factor(hn::Set(d, of)), least(hn::Set(d, lowest / of)) {}
};

// 2^(factor · x + raise) for x ≤ 0: an error of 1 ulp, and what the rounding of
// factor · x makes; 0 below what a subnormal 2^(factor · x) reaches. 2^raise exactly at 0,
// NaN for NaN.
//
// Weights are e^(s − maximum) = 2^((s − maximum) · log₂e) up to a power of 2 that
// the division by their sum takes away again. With 2^raise for it, weights that
// would be subnormal are not.
//
#if HWY_TARGET <= HWY_AVX3
// AVX-512 has instructions for both parts: the fraction of a number, and the
// product with a power of 2. They are what AVX-512 gains most by here, and what
// Highway has no names for.
HWY_INLINE hn::Vec512<float> fraction(hn::Vec512<float> x) { return {_mm512_reduce_ps(x.raw, 1)}; }
HWY_INLINE hn::Vec512<double> fraction(hn::Vec512<double> x) { return {_mm512_reduce_pd(x.raw, 1)}; }

// p · 2^⌊x⌋, 0 where x is below the smallest: subnormal weights would be slow.
HWY_INLINE hn::Vec512<float> times_exp2(hn::Vec512<float> p, hn::Vec512<float> x, hn::Vec512<float> smallest) {
  return {_mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x.raw, smallest.raw, _CMP_NLT_UQ), p.raw, x.raw)};
}
HWY_INLINE hn::Vec512<double> times_exp2(hn::Vec512<double> p, hn::Vec512<double> x, hn::Vec512<double> smallest) {
  return {_mm512_maskz_scalef_pd(_mm512_cmp_pd_mask(x.raw, smallest.raw, _CMP_NLT_UQ), p.raw, x.raw)};
}

template <class D>
HWY_INLINE hn::Vec<D> raised_exp2(D d, hn::Vec<D> x, const Exponent<D>& exponent) {
  using C = Exp2Constants<Lane<D>>;
  x = hn::Mul(x, exponent.factor);
  return times_exp2(polynomial(d, fraction(x), C::raised_unit_polynomial), x,
                    hn::Set(d, Lane<D>{1 - C::bias - C::raise}));
}
#else
// factor · x = n + r with n whole and |r| ≤ ½. Adding 1.5 · 2^(fraction bits)
// leaves n in the lowest bits of the sum; with the exponent's bias among what is
// added, these bits are the exponent of 2^n and need only be shifted there.
template <class D>
HWY_INLINE hn::Vec<D> raised_exp2(D d, hn::Vec<D> x, const Exponent<D>& exponent) {
  using C = Exp2Constants<Lane<D>>;
  const hn::RebindToSigned<D> bits;

  // An n of `lowest` gives an exponent of 0, which stands for the number 0.
  const auto shift = hn::Set(d, C::shift - Exponent<D>::lowest);
  x = hn::IfThenElse(hn::Lt(x, exponent.least), exponent.least, x);  // unlike Max, keeps NaN with every target
  const auto shifted = hn::MulAdd(x, exponent.factor, shift);
  const auto r = hn::MulSub(x, exponent.factor, hn::Sub(shifted, shift));
  const auto power = hn::BitCast(d, hn::ShiftLeft<C::fraction_bits>(hn::BitCast(bits, shifted)));
  return hn::MulAdd(hn::Mul(power, r), polynomial(d, r, C::polynomial), power);
}
#endif

// 2^(factor · x) for x ≤ 0.
template <class D>
HWY_INLINE hn::Vec<D> exp2(D d, hn::Vec<D> x, const Exponent<D>& exponent) {
  constexpr auto lower = Lane<D>{1} / static_cast<Lane<D>>(std::int64_t{1} << Exp2Constants<Lane<D>>::raise);
  return hn::Mul(raised_exp2(d, x, exponent), hn::Set(d, lower));
}

// Within 2 ulp. Near 0 a quotient of polynomials, elsewhere
// (1 − e^(−2|x|)) / (1 + e^(−2|x|)) with the sign of x.
template <class D>
HWY_INLINE hn::Vec<D> tanh(D d, hn::Vec<D> x) {
  using C = Exp2Constants<Lane<D>>;
  const auto one = hn::Set(d, Lane<D>{1});
  const auto size = hn::Abs(x);

  const auto square = hn::Mul(x, x);
  auto near = polynomial(d, square, C::tanh_over);
  if constexpr (std::size(C::tanh_under) > 1) near = hn::Div(near, polynomial(d, square, C::tanh_under));
  near = hn::MulAdd(hn::Mul(near, square), x, x);

  const Exponent<D> twice(d, static_cast<Lane<D>>(2.8853900817779268));  // 2·log₂e
  const auto e = exp2(d, hn::Neg(size), twice);
  const auto far = hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
  return hn::IfThenElse(hn::Lt(size, hn::Set(d, static_cast<Lane<D>>(0.625))), near, far);
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
