#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/markdown/math.h"

namespace attn {

// A table as GitHub and pandoc read it, padded so that it reads as one in an
// editor, too. Cells are Markdown already; every row has as many as the header.
// Columns from `right` on are set to the right.
std::string markdown_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                           std::size_t right);

// The numbers of a matrix between the labels of its rows and columns, and how
// many are left out.
std::string matrix_table(const Matrix& matrix, const MarkdownStyle& style, bool full);

}  // namespace attn
