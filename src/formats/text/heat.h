#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "formats/figures.h"
#include "formats/styled.h"

// Shades and bars for a terminal.

namespace attn {

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
