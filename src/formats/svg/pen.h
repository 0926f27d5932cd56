#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "explain/document.h"
#include "formats/figures.h"
#include "formats/looks.h"

// What all drawings are made with: numbers, lengths of text, <text> elements, colours.
// Only what both browsers and rsvg-convert know: presentation attributes, no style
// sheets, text that stays text.

namespace attn {

// A length or place, as short as it can be said: "12.5".
std::string svg_number(double value);

// fmt::format, but that its lengths and places are written so.
inline std::string in_svg(double value) { return svg_number(value); }
inline std::string_view in_svg(std::string_view text) { return text; }
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

// The colours of a figure.
struct Theme {
  bool classic = false;  // the colours of well-known posts, not those for eyes of every kind
  std::string_view paper = "#ffffff", ink = "#1a1a1a", faint = "#525252", arrow = "#6b6b6b", grid = "#c8c8c8";

  Hue of(Role role) const { return classic ? look_of(role).classic : look_of(role).safe; }
  std::string_view ink_of(Mark mark) const { return look_of(mark).ink.empty() ? ink : look_of(mark).ink; }

  // How dark a cell is, from white at 0 to the heat of the theme at 1, and what can be read on it.
  std::string shade(double heat) const;
  std::string_view ink_on_shade(double heat) const;

  Palette palette() const;
};

// Text that is not all alike: formulas with raised and lowered parts, words in
// the colour of a role.
struct TextRun {
  std::string text;
  std::string_view fill = {};  // empty: as the text around it
  bool italic = false;
  double scale = 1;  // of the font size
  double rise = 0;   // of the font size: above the line, below where negative
};

using Runs = std::vector<TextRun>;

// Running text in the colours of its roles.
Runs text_runs(const Inline& text, const Theme& theme);

// A formula as it is set, in the colours of its roles: letters italic, indices lowered.
Runs formula_runs(const Inline& formula, const Theme& theme);

void append(Runs more, Runs& runs);

double runs_width(const Runs& runs, double size, bool bold = false);

// Lines of at most that width, broken at spaces, and within a word where it is longer.
std::vector<Runs> wrapped(const Runs& runs, double size, double width, bool bold = false);

// As one <text>.
std::string svg_runs(double x, double y, const Runs& runs, const TextLook& look);

}  // namespace attn
