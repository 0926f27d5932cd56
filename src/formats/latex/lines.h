#pragma once

#include "formats/latex/prose.h"

namespace attn {

// A derivation: what it is, then its lines, their sides aligned where they all
// fit, else broken between terms.
LatexPieces latex_pieces(const Derivation& derivation, const LatexPage& page);

// A tree: a line a number, indented as deep as it stands.
LatexPieces latex_pieces(const Tree& tree, const LatexPage& page);

}  // namespace attn
