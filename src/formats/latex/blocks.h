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

inline constexpr double column_gap = 12;  // of tables and matrices

// Where text is written to: how wide its lines are, and how high a slide is, in
// points where letters have 10.
struct LatexPage {
  double width = 345;
  double height = 0;  // 0 on paper, which has as many pages as it needs
  bool full = false;  // nothing elided

  bool is_slide() const { return height > 0; }
};

// What is not broken across slides, and about how high and wide it is.
struct LatexPiece {
  std::string text;
  double height = 0;
  double width = 0;  // 0: as wide as the lines are, since it is running text
};

using LatexPieces = std::vector<LatexPiece>;

// How high a paragraph is.
double latex_height(double text_width, const LatexPage& page);

// Blocks of a document, in pieces that are not broken across slides.

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

// What one query does: pictures in TikZ where a document has that, and tables.
LatexPieces latex_pieces(const GeometryTold& told, const LatexPage& page);

// What a whole document loads for them, where it has some.
std::string latex_drawing_package(const Document& document);

// What everything that formats write for LaTeX is written in: \attnquery,
// \attnmatrix, … A document that defines one of them itself keeps its own.
std::string latex_macros();

// The same of a sheet to be filled in: \attnfield, \attnbox, …
std::string latex_sheet_macros();

// Before and after the text of a document that compiles alone, and of slides.
std::string latex_paper_begin(const std::string& more_macros);
std::string latex_slides_begin(const std::string& more_macros);
std::string latex_end();

}  // namespace attn
