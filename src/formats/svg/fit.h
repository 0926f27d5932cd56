#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/figures.h"
#include "formats/svg/drawings.h"

namespace attn {

// A figure as it stands in its file.
struct FittedFigure {
  std::string width, height;               // with their unit
  double page_width = 0, page_height = 0;  // of its viewBox
  std::string content;
  double smallest = 0;  // of its letters, on the page
  bool is_readable = true;
  double millimetres = 0;  // its height, where that is more than its page has
};

// Draws the figure for where it goes, "slide", "column" or "none": laid out anew in one way after
// another, from the richest on, until its letters can be read there.
FittedFigure fitted_figure(std::string_view fit, const std::function<Drawing(const Room&)>& draw);

// What whoever runs the program is told where nothing helped: which options show less. Empty where
// it can be read.
std::string hint_on_fit(std::string_view fit, const FittedFigure& figure, std::string_view options);

}  // namespace attn
