#include <cmath>

#include <fmt/core.h>

#include "base/math.h"
#include "formats/svg/pen.h"

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

std::string Theme::shade(double heat) const { return hex(mixed(classic ? classic_heat : safe_heat, heat)); }

std::string_view Theme::ink_on_shade(double heat) const {
  const double behind = luminance(mixed(classic ? classic_heat : safe_heat, heat));
  return 1.05 / (behind + 0.05) >= 4.5 ? "#ffffff" : "#000000";
}

Palette Theme::palette() const {
  return {.faint = std::string(faint),
          .query = std::string(of(Role::query).ink),
          .key = std::string(of(Role::key).ink),
          .heat = shade(1),
          .grid = std::string(grid)};
}

}  // namespace attn
