#pragma once

#include <vector>

#include "formats/latex/prose.h"

namespace attn {

// Matrices that stand side by side where there is room: what each is, then its
// numbers under the names of their columns. Columns that do not fit follow
// below, and say which they are.
LatexPieces latex_pieces(const std::vector<const Matrix*>& beside, const LatexPage& page);

}  // namespace attn
