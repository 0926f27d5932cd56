#pragma once

#include <string>
#include <string_view>

#include "explain/document.h"
#include "formats/figures.h"

// The colours of a figure.

namespace attn {

// How a box looks.
struct Hue {
  std::string_view fill;  // behind everything
  std::string_view line;  // around it
  std::string_view ink;   // of its heading: easily read on `fill` and on white
};

struct Theme {
  bool classic = false;  // the colours of well-known posts, not those for eyes of every kind
  std::string_view paper = "#ffffff", ink = "#1a1a1a", faint = "#525252", arrow = "#6b6b6b", grid = "#c8c8c8";

  Hue of(Role role) const;
  std::string_view ink_of(Mark mark) const;

  // How dark a cell is, from white at 0 to the heat of the theme at 1, and what can be read on it.
  std::string shade(double heat) const;
  std::string_view ink_on_shade(double heat) const;

  Palette palette() const;
};

Theme theme_named(std::string_view name);

}  // namespace attn
