#pragma once

#include <cmath>

namespace attn {

// The functions of a real number that the program uses, in place of the C
// library's: those give different bits on different processors and systems,
// these the same bits everywhere.
//
// exp, log and tanh need nothing but what IEEE 754 fixes to the last bit: +, -,
// *, / on doubles, rounded to nearest, and integers. REQUIRES: compiled without
// -ffast-math and with -ffp-contract=off. The others are seldom called and slow:
// MPFR, which promises its results, works them out (rounded_functions.cpp).
//
// An ulp is the distance between neighbouring doubles where the exact result
// lies: 2^-1074 for subnormal results. Every NaN returned is the same one.

// e^x, at most 0.52 ulp from the exact value, also where the result is
// subnormal. Defined for all x: NaN for NaN, 0 for -inf and where e^x is at
// most 2^-1075 (x < -745.13...), inf for inf and where e^x exceeds the doubles
// (x > 709.78...). exp(0) is exactly 1.
double exp(double x);

// e^x for floats: the double result, rounded. At most 0.50001 ulp of a float
// from the exact value; 0, inf and NaN as above, with the range of floats
// (below -103.97..., above 88.72...).
float exp(float x);

// The natural logarithm, at most 0.65 ulp from the exact value. Defined for all
// x: NaN for NaN and below zero, -inf for both zeros, inf for inf; subnormal
// arguments lose nothing. log(1) is +0.
double log(double x);

// The hyperbolic tangent, at most 0.53 ulp from the exact value. Defined for all
// x: NaN for NaN, -1 and 1 for the infinities and where no double is nearer;
// tanh(-0) is -0.
double tanh(double x);

// Sine and cosine of an angle in radians, error function and power: the exact
// value correctly rounded, at most half an ulp from it, for all arguments however
// large. What C says of NaN, infinities, zeros and the special cases of pow
// holds: sin(inf) is NaN, erf(inf) 1, pow(x, 0) 1, pow(-8, 1/3) NaN.
double sin(double x);
double cos(double x);
double erf(double x);
double pow(double x, double y);

// The angle of (x, y) from (1, 0), in radians from -pi to pi, at most 4e-16 times its size (and 2 ulps) from the exact
// value, of finite numbers; 0 for (0, 0). What sin and cos above make of it decides it.
double atan2(double y, double x);

// For floats: the double results, rounded. At most 0.50001 ulp of a float from
// the exact values.
float tanh(float x);
float sin(float x);
float cos(float x);
float erf(float x);
float pow(float x, float y);

// Square roots are the C library's: IEEE 754 demands that they be correctly
// rounded, so there is but one result. NaN below zero; sqrt(-0) is -0.
inline double sqrt(double x) { return std::sqrt(x); }
inline float sqrt(float x) { return std::sqrt(x); }

}  // namespace attn
