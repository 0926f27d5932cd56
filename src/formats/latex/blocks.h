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

// How all numbers of a document are set: one size, so that none looks more important than
// another, chosen so that its matrices are whole.
struct LatexNumbers {
  std::string_view command;   // "\\small"
  double wide = 1, high = 1;  // as against text: small letters are wider than they are high
  double gap = 12;            // between columns
};

// Where text is written to: how wide its lines are, and how high a slide is, in
// points where letters have 10.
struct LatexPage {
  double width = 345;
  double height = 0;  // 0 on paper, which has as many pages as it needs
  int letters = 10;   // what letters have really, in points
  LatexNumbers numbers = {"\\normalsize"};
  bool full = false;      // nothing elided
  bool overlays = false;  // a slide is built up
  bool sheet = false;     // to be filled in: nothing is drawn

  bool is_slide() const { return height > 0; }
};

// What is not broken across slides, and about how high it is.
struct LatexPiece {
  std::string text;
  double height = 0;
  int steps = 1;                        // in which it is built up
  bool leads = false;                   // to the next piece, and stays with it
  bool follows = false;                 // words of the piece before, with which they stay if there is room
  std::vector<std::string> names = {};  // of the steps whose matrices it has
};

using LatexPieces = std::vector<LatexPiece>;

// Such a width as LaTeX has it: it grows with the letters.
std::string latex_length(double width);

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
// numbers under the names of their columns, attention weights shaded. Columns that
// do not fit follow below, and say which they are.
LatexPieces latex_pieces(const std::vector<const Matrix*>& beside, const LatexPage& page);

// How many of the matrices of a document are whole where it is written so.
std::size_t latex_whole_matrices(const Document& document, const LatexPage& page);

// Attention weights as lines between the tokens, as wide as the weight; none of other
// matrices, and of too many tokens. Where they do not stand below their weights alone, they
// say whose they are.
LatexPieces latex_arcs(const Matrix& weights, const LatexPage& page, bool says_whose = false);
// How wide they are where tokens do not stand too close.
double latex_arcs_width(const Matrix& weights);

// The same blocks, with a headline before matrices that stand under that of another step, and
// the place of each matrix that stands in a row of them.
std::vector<Block> latex_headed(const std::vector<Block>& blocks);

// What the steps are called, in a few words: "Scores, Attention weights", or "Scores – Context".
std::string latex_titles(const std::vector<std::string>& names);
// "Attention weights" of "Attention weights: softmax of each row of scores".
std::string latex_short_title(const std::string& title);

// The steps of a computation, or its parts where it has several, as boxes joined as the
// data flows. None where nothing is computed.
LatexPieces latex_flow(const Document& document, const LatexPage& page);

// What one query does: pictures in TikZ where a document has that, and tables.
LatexPieces latex_pieces(const GeometryTold& told, const LatexPage& page);

// What is seen from the `step`th step of its piece on, of slides that are built up.
std::string latex_from_step(int step, const std::string& text, const LatexPage& page);
std::string latex_step(int step);

// The piece as it stands on a slide on which `before` steps were made already.
std::string latex_built_up(const LatexPiece& piece, int before);

// What everything that formats write for LaTeX is written in: \attnquery,
// \attnmatrix, … A document that defines one of them itself keeps its own.
std::string latex_macros();

// The same of a sheet to be filled in: \attnfield, \attnbox, …
std::string latex_sheet_macros();

// Before and after the text of a document that compiles alone, and of slides.
std::string latex_paper_begin(const std::string& more_macros);
std::string latex_slides_begin(int letters);

// What there is room for below the title of a slide with such letters, in points.
inline int latex_slide_height(int letters) { return 243 - 3 * letters; }

std::string latex_numbers(const LatexNumbers& numbers);  // how all numbers are set
std::string latex_narrow();                              // that a fragment fits a narrow column
std::string latex_end();

}  // namespace attn
