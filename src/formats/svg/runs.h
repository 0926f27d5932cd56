#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "formats/svg/pen.h"
#include "formats/svg/theme.h"

// Text that is not all alike: formulas with raised and lowered parts, words in
// the colour of a role.

namespace attn {

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
