#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "formats/text/layout.h"

namespace attn {
namespace {

// From least to most, as far apart for the eye, on a light terminal and a dark
// one; each with black or white, whichever can be read on it.
constexpr auto backgrounds = std::to_array<Shade>({{16, 255}, {16, 153}, {16, 111}, {16, 68}, {231, 26}, {231, 19}});

constexpr auto shades = std::to_array<std::string_view>({"░", "▒", "▓", "█"});
constexpr auto ascii_shades = std::to_array<std::string_view>({" ", ":", "-", "=", "+", "*", "#", "%", "@"});

// Growing to the right and upwards, by eighths.
constexpr auto lengths = std::to_array<std::string_view>({"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"});
constexpr auto heights = std::to_array<std::string_view>({" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"});

// The one of `count` equal parts of 0 to 1 that the size falls into.
std::size_t part(double size, std::size_t count) {
  const double at = std::clamp(size, 0.0, 1.0) * static_cast<double>(count);
  return std::min(static_cast<std::size_t>(at), count - 1);
}

// So many steps out of `count`; what is there at all has one.
std::size_t steps(double share, std::size_t count) {
  if (!(share > 0)) return 0;
  const double exact = std::min(share, 1.0) * static_cast<double>(count);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(exact)));
}

}  // namespace

std::optional<Heat> heat_of(const Matrix& matrix) {
  const bool role = matrix.role == Role::score || matrix.role == Role::attention_weight || matrix.role == Role::softmax;
  if (!role || !matrix.handed_in.empty() || matrix.row_axis.empty() || matrix.column_axis.empty()) return std::nullopt;
  const Heat heat(matrix);
  return heat.any() ? std::optional(heat) : std::nullopt;
}

StyledLine legend(const Matrix& matrix, const Heat& heat, const Typesetter& typesetter) {
  const auto end = [&](double number) { return faint(typesetter.spelled(written(number, matrix.format))); };
  const bool is_weight = matrix.role == Role::attention_weight;
  StyledLine line;
  line.add(is_weight ? faint("0") : end(heat.smallest()));
  line.add(Piece{" "});
  const bool ascii = typesetter.options().ascii;
  const std::size_t levels = typesetter.options().color ? backgrounds.size()
                             : ascii                    ? ascii_shades.size()
                                                        : shades.size();
  for (std::size_t level = 0; level < (heat.is_one() ? 1 : levels); ++level) {
    const double size = (static_cast<double>(level) + 0.5) / static_cast<double>(levels);
    line.add(typesetter.options().color ? on_shade("  ", size) : Piece{shade(size, ascii ? 1 : 2, typesetter)});
  }
  if (!heat.is_one()) {
    line.add(Piece{" "});
    line.add(is_weight ? faint("1") : end(heat.largest()));
  }
  if (std::ranges::find(matrix.closed, true) != matrix.closed.end())
    line.add(faint("   " + closed_sign(typesetter) + " closed"));
  return line;
}

Piece on_shade(std::string text, double size) {
  return {std::move(text), std::nullopt, Weight::normal, Mark::none, backgrounds[part(size, backgrounds.size())]};
}

std::string shade(double size, std::size_t columns, const Typesetter& typesetter) {
  return typesetter.options().ascii ? repeated(ascii_shades[part(size, ascii_shades.size())], columns)
                                    : repeated(shades[part(size, shades.size())], columns);
}

std::string closed_sign(const Typesetter& typesetter) { return typesetter.spelled("·"); }

StyledLine bar(double share, std::size_t columns, const Typesetter& typesetter) {
  StyledLine line;
  if (typesetter.options().ascii) {
    line.add({repeated("#", steps(share, columns)), Role::attention_weight});
  } else {
    const std::size_t eighths = steps(share, columns * 8);
    line.add({repeated("█", eighths / 8) + std::string(lengths[eighths % 8]), Role::attention_weight});
  }
  line.pad_to(columns);
  line.add(faint(typesetter.spelled("│")));
  return line;
}

StyledLine column_bars(std::span<const double> shares, std::size_t columns, const Typesetter& typesetter) {
  constexpr std::size_t frame = 2;
  if (shares.empty() || shares.size() + frame > columns) return {};
  const bool apart = shares.size() * 3 - 1 + frame <= columns;
  std::string text;
  for (const double share : shares) {
    const bool ascii = typesetter.options().ascii;
    const std::string_view column =
        ascii ? ascii_shades[steps(share, ascii_shades.size() - 1)] : heights[steps(share, heights.size() - 1)];
    if (apart && !text.empty()) text += ' ';
    text += repeated(column, apart ? 2 : 1);
  }
  const Piece edge = faint(typesetter.spelled("│"));
  StyledLine line;
  line.add(edge);
  line.add({std::move(text), Role::attention_weight});
  line.add(edge);
  return line;
}

}  // namespace attn
