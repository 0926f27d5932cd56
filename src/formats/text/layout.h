#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "formats/styled.h"

// Blocks of a document as lines of a terminal.

namespace attn {

// A derivation, the sides of its lines below each other where they all fit, else
// broken between terms.
std::vector<StyledLine> laid_out(const Derivation& derivation, const Typesetter& typesetter, std::size_t width);

// A table, the cells of its last column wrapped; that of its names, where the others are numbers.
std::vector<StyledLine> laid_out(const Table& table, const Typesetter& typesetter, std::size_t width);

// A tree: each line hangs from the one that it belongs to.
std::vector<StyledLine> laid_out(const Tree& tree, const Typesetter& typesetter, std::size_t width);

// A matrix: what it is, then its numbers under the names of their columns,
// decimals aligned. Columns that do not fit follow below, and say which they are.
struct MatrixBox {
  std::vector<StyledLine> caption;
  std::vector<StyledLine> body;

  std::size_t width() const { return std::max(widest(caption), widest(body)); }
};

MatrixBox laid_out(const Matrix& matrix, const Typesetter& typesetter, std::size_t width);

// The same as narrow as it goes, to stand beside others.
MatrixBox laid_out_narrow(const Matrix& matrix, const Typesetter& typesetter);

}  // namespace attn
