#pragma once

#include <cstddef>
#include <cstdint>

namespace attn {

// What 2^x needs for each type. The polynomial is 2^r = 1 + r·(c₀ + c₁·r + …) on
// [−½, ½] with the least relative error (found by Remez' exchange: Muller,
// Elementary Functions, 3rd ed. 2016, section 3.5): 2.6e-9 for float, 1.8e-17
// for double, a small part of the rounding. `raised_unit_polynomial`
// is 2^(r + raise) on [0, 1).
template <class T>
struct Exp2Constants;

template <>
struct Exp2Constants<float> {
  using Bits = std::int32_t;
  static constexpr int fraction_bits = 23;
  static constexpr int bias = 127;
  static constexpr int raise = 24;
  static constexpr float shift = 0x1.8p+23F;  // 1.5 · 2^23: adding it rounds to whole numbers
  static constexpr float polynomial[] = {0.693147214967885F,    0.24022652782876178F,   0.05550310551206981F,
                                         0.009617692976143188F, 0.0013406643847480061F, 0.0001559467701510541F};
  static constexpr float raised_unit_polynomial[] = {
      0x1.0000000000000p+24F, 0x1.62e42b5e682b2p+23F, 0x1.ebfd57972539cp+21F, 0x1.c6891133db463p+19F,
      0x1.3d0b921590db0p+17F, 0x1.46d64ca0985f4p+14F, 0x1.c541757d0505dp+11F};
  // tanh x = x + x³·p(x²) for |x| < 0.625 (Moshier's Cephes library, tanhf.c).
  static constexpr float tanh_over[] = {-3.33332819422e-1F, 1.33314422036e-1F, -5.37397155531e-2F, 2.06390887954e-2F,
                                        -5.70498872745e-3F};
  static constexpr float tanh_under[] = {1};
};

template <>
struct Exp2Constants<double> {
  using Bits = std::int64_t;
  static constexpr int fraction_bits = 52;
  static constexpr int bias = 1023;
  static constexpr int raise = 53;
  static constexpr double shift = 0x1.8p+52;
  static constexpr double polynomial[] = {0.6931471805599457,     0.24022650695910097,    0.05550410866479039,
                                          0.009618129107607003,   0.001333355815343997,   0.0001540353044157185,
                                          1.5252727385189775e-05, 1.3215442675452854e-06, 1.0180647660573069e-07,
                                          7.072570394540799e-09,  4.0780717860928705e-10};
  static constexpr double raised_unit_polynomial[] = {
      0x1.0000000000000p+53, 0x1.62e42fefa39f5p+52, 0x1.ebfbdff82c04bp+50, 0x1.c6b08d706583ap+48,
      0x1.3b2ab6f734125p+46, 0x1.5d87ff4d22fcdp+43, 0x1.4308fa1dc4cf4p+40, 0x1.ffcfc6ab0e62cp+36,
      0x1.628f357811bdbp+33, 0x1.b85f4350c7630p+29, 0x1.c2c475d05242ap+25, 0x1.585673071060dp+22};
  // tanh x = x + x³·p(x²) / q(x²) (Cephes, tanh.c).
  static constexpr double tanh_over[] = {-1.61468768441708447952e3, -9.92877231001918586564e1,
                                         -9.64399179425052238628e-1};
  static constexpr double tanh_under[] = {4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2,
                                          1};
};

}  // namespace attn
