#pragma once

#include <string>
#include <string_view>

#include "explain/document.h"
#include "formats/figures.h"
#include "formats/looks.h"

// The colours of a figure.

namespace attn {

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

}  // namespace attn
