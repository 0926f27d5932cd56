#pragma once

#include <vector>

#include "formats/latex/prose.h"

// Blocks of a document, in pieces that are not broken across slides.

namespace attn {

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

}  // namespace attn
