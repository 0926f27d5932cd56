#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"

namespace attn {

// Running text that may name tensors and numbers: "√d_k" and "S″" in it are
// formulas, what has a role has its colour.
std::string latex_prose(const Inline& text);
std::string latex_prose(std::string_view text);

// A label, cut where it would take more than `width` points.
std::string latex_label(std::string_view text, double width = 115);
double latex_label_width(std::string_view text, double width = 115);

inline constexpr double column_gap = 12;  // of tables

// How large the numbers of matrices are, of all that a document has: so that as many of them
// as can be stay whole.
struct LatexNumbers {
  double size = 1;    // of that of text
  double gap = 12;    // between columns, in points
  const char* macro;  // that sets them so
};

// The largest that leaves no more matrices in parts than any other does.
struct LatexPage;
const LatexNumbers& numbers_that_fit(const Document& document, const LatexPage& page);

// Where text is written to: how wide its lines are, and how high a slide is, in
// points where letters have 10.
struct LatexPage {
  double width = 345;
  double height = 0;                      // 0 on paper, which has as many pages as it needs
  bool full = false;                      // nothing elided
  bool builds_up = false;                 // line by line: every line of a piece in \attnstep
  const LatexNumbers* numbers = nullptr;  // null: those of text

  bool is_slide() const { return height > 0; }
};

// What is not broken across slides, and about how high and wide it is.
struct LatexPiece {
  std::string text;
  double height = 0;
  double width = 0;       // 0: as wide as the lines are, since it is running text
  std::size_t steps = 1;  // how many lines come after one another, where slides are built up
};

using LatexPieces = std::vector<LatexPiece>;

// How high a paragraph is.
double latex_height(double text_width, const LatexPage& page);

// Blocks of a document, in pieces that are not broken across slides.

// A row of LaTeX as line `at` of what is built up: each of its columns.
std::string built_up(const std::string& row, std::size_t at);

// A derivation: what it is, then its lines, their sides aligned where they all
// fit, else broken between terms.
LatexPieces latex_pieces(const Derivation& derivation, const LatexPage& page);

// A tree: a line a number, indented as deep as it stands.
LatexPieces latex_pieces(const Tree& tree, const LatexPage& page);

// A table, its last column wrapped; a long one in several parts.
LatexPieces latex_pieces(const Table& table, const LatexPage& page);

// Matrices that stand side by side where there is room: what each is, then its
// numbers under the names of their columns. Columns that do not fit follow
// below, and say which they are.
LatexPieces latex_pieces(const std::vector<const Matrix*>& beside, const LatexPage& page);

// The weights of queries (rows) over keys (columns) as arcs from the ones above to the others
// below, as wide as the weight. None where they are something else, or too many for a line.
LatexPieces latex_arcs(const Matrix& weights, const LatexPage& page);

// The steps of a document as boxes, joined as the numbers flow; nothing where they are few, or too
// many for a page. On slides without their titles.
LatexPieces latex_flow(const Document& document, const LatexPage& page);

// What one query does: pictures in TikZ where a document has that, and tables.
LatexPieces latex_pieces(const GeometryTold& told, const LatexPage& page);

// What everything that formats write for LaTeX is written in: \attnquery,
// \attnmatrix, … A document that defines one of them itself keeps its own.
std::string latex_macros();

// The same of a sheet to be filled in: \attnfield, \attnbox, …
std::string latex_sheet_macros();

// Before and after the text of a document that compiles alone, and of slides.
std::string latex_paper_begin(const std::string& more_macros);
std::string latex_slides_begin();
std::string latex_end();

}  // namespace attn
