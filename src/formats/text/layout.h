#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/figures.h"
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

// Shades and bars.

// How the numbers of a matrix are shaded; none for what is no matrix of scores or
// weights, or has no number to shade. REQUIRES: the matrix outlives it.
std::optional<Heat> heat_of(const Matrix& matrix);

// Which shade is which number, and what marks closed cells.
StyledLine legend(const Matrix& matrix, const Heat& heat, const Typesetter& typesetter);

// What the text says with a background as dark as `size`, in colours that can be read on it.
Piece on_shade(std::string text, double size);

// So many columns of a shade, for terminals without colour.
std::string shade(double size, std::size_t columns, const Typesetter& typesetter);

// What stands for a shade in closed cells.
std::string closed_sign(const Typesetter& typesetter);

// A bar as long as `share` of so many columns, and where it would end.
StyledLine bar(double share, std::size_t columns, const Typesetter& typesetter);

// A column for each number from 0 to 1, as high as it is; set apart where that
// takes no more than so many columns. Empty where it takes more anyway.
StyledLine column_bars(std::span<const double> shares, std::size_t columns, const Typesetter& typesetter);

}  // namespace attn
