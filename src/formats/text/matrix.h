#pragma once

#include <cstddef>
#include <vector>

#include "formats/styled.h"

namespace attn {

// A matrix as lines of a terminal: what it is, then its numbers under the names
// of their columns, decimals aligned. Columns that do not fit follow below,
// and say which they are.
struct MatrixBox {
  std::vector<StyledLine> caption;
  std::vector<StyledLine> body;

  std::size_t width() const;
};

MatrixBox laid_out(const Matrix& matrix, const Typesetter& typesetter, std::size_t width);

// The same as narrow as it goes, to stand beside others.
MatrixBox laid_out_narrow(const Matrix& matrix, const Typesetter& typesetter);

}  // namespace attn
