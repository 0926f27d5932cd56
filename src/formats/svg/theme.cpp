#include "formats/svg/theme.h"

#include <cmath>

#include <fmt/core.h>

#include "base/math.h"

namespace attn {
namespace {

struct Rgb {
  int red, green, blue;
};

constexpr Rgb safe_heat{0x00, 0x72, 0xb2}, classic_heat{0x2f, 0x6f, 0xd0};

Rgb mixed(Rgb color, double share) {
  const auto part = [&](int of) { return static_cast<int>(std::lround(255 - (255 - of) * share)); };
  return {part(color.red), part(color.green), part(color.blue)};
}

// Relative luminance, as the contrast of text is reckoned.
double luminance(Rgb color) {
  const auto part = [](int of) {
    const double share = of / 255.0;
    return share <= 0.03928 ? share / 12.92 : exp(2.4 * log((share + 0.055) / 1.055));
  };
  return 0.2126 * part(color.red) + 0.7152 * part(color.green) + 0.0722 * part(color.blue);
}

std::string hex(Rgb color) { return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue); }

}  // namespace

// The hues are those of the terminal: the set of Okabe and Ito, or query red, key
// orange, value purple, scores blue, output green.
Hue Theme::of(Role role) const {
  switch (role) {
    case Role::input:
      return classic ? Hue{"#e5f2db", "#7fbf4d", "#476b2b"} : Hue{"#f4f4f4", "#8c8c8c", "#4d4d4d"};
    case Role::weight_matrix:
    case Role::mask:
      return classic ? Hue{"#ececec", "#8c8c8c", "#4d4d4d"} : Hue{"#f4f4f4", "#8c8c8c", "#4d4d4d"};
    case Role::query:
      return classic ? Hue{"#f8dcdc", "#d93a3a", "#a52c2c"} : Hue{"#fbefe6", "#d55e00", "#a64900"};
    case Role::key:
      return classic ? Hue{"#fce8d3", "#f08a24", "#8b5015"} : Hue{"#fcf5e6", "#e69f00", "#855b00"};
    case Role::value:
      return classic ? Hue{"#e8def3", "#8e5bc4", "#6f4799"} : Hue{"#faf2f6", "#cc79a7", "#8b5272"};
    case Role::score:
      return classic ? Hue{"#dbe9f9", "#4a8fe0", "#315e94"} : Hue{"#eef8fd", "#56b4e9", "#346c8c"};
    case Role::softmax:
    case Role::attention_weight:
      return classic ? Hue{"#d5e2f6", "#2f6fd0", "#2659a6"} : Hue{"#e6f1f7", "#0072b2", "#0067a0"};
    case Role::weighted_value:
      return classic ? Hue{"#ece2f5", "#b58ad6", "#6d5380"} : Hue{"#f9f7dd", "#b8ad10", "#665f0c"};
    case Role::output:
      return classic ? Hue{"#d7edde", "#35a35a", "#206337"} : Hue{"#e6f5f1", "#009e73", "#006b4e"};
  }
  return {paper, grid, ink};
}

std::string_view Theme::ink_of(Mark mark) const {
  switch (mark) {
    case Mark::wrong:
      return "#b00020";
    case Mark::follows:
    case Mark::unsure:
      return "#7a4f00";
    case Mark::blank:
    case Mark::not_asked:
      return faint;
    case Mark::right:
      return ink;
  }
  return ink;
}

std::string Theme::shade(double heat) const { return hex(mixed(classic ? classic_heat : safe_heat, heat)); }

std::string_view Theme::ink_on_shade(double heat) const {
  const double behind = luminance(mixed(classic ? classic_heat : safe_heat, heat));
  return 1.05 / (behind + 0.05) >= 4.5 ? "#ffffff" : "#000000";
}

Palette Theme::palette() const {
  return {.ink = std::string(ink),
          .faint = std::string(faint),
          .query = std::string(of(Role::query).ink),
          .key = std::string(of(Role::key).ink),
          .heat = shade(1),
          .grid = std::string(grid)};
}

Theme theme_named(std::string_view name) { return {.classic = name == "classic"}; }

}  // namespace attn
