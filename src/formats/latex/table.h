#pragma once

#include "formats/latex/prose.h"

namespace attn {

// A table, its last column wrapped; a long one in several parts.
LatexPieces latex_pieces(const Table& table, const LatexPage& page);

}  // namespace attn
