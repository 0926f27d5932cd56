#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

// What all drawings are made with: numbers, lengths of text, <text> elements.
// Only what both browsers and rsvg-convert know: presentation attributes, no style
// sheets, text that stays text.

namespace attn {

// A length or place, as short as it can be said: "12.5".
std::string svg_number(double value);

// fmt::format, but that its lengths and places are written so.
inline std::string in_svg(double value) { return svg_number(value); }
inline std::string_view in_svg(std::string_view text) { return text; }
inline std::size_t in_svg(std::size_t count) { return count; }
template <class... Of>
std::string svg(fmt::format_string<decltype(in_svg(std::declval<const Of&>()))...> text, const Of&... of) {
  return fmt::format(text, in_svg(of)...);
}

// How wide the text can become at that font size, whatever sans-serif font there
// is: measured with the widest in use, and a little more.
double text_width(std::string_view text, double size);

// How much of printable text fits into that width: at least one character with all that
// combines with it. REQUIRES: not empty.
std::size_t fitting_bytes(std::string_view text, double size, double width);

// The text as it is printed, cut to that width; the cut is shown by "…".
std::string fitted(std::string_view text, double size, double width);

// A rectangle; `attributes` are the others, ready to be written.
std::string svg_rect(double x, double y, double width, double height, std::string_view attributes);

// What is drawn from (0, 0) on, at another place.
std::string svg_moved(double x, double y, std::string_view content);

enum class Anchor { start, middle, end };

struct TextLook {
  double size = 13;
  Anchor anchor = Anchor::start;
  std::string_view fill = "#000";
  bool bold = false;
};

// The beginning of an element <text>, up to and with ">".
std::string text_begin(double x, double y, const TextLook& look);

// Other people's text as one <text>. Where it is wider than `width` it is cut, and
// the whole of it is its <title>.
std::string svg_text(double x, double y, std::string_view text, const TextLook& look, double width = 1e9);

}  // namespace attn
