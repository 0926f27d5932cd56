#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/document.h"

namespace attn {

// The rows and columns of a matrix that are shown, from the first on.
struct Extent {
  std::size_t rows = 0, columns = 0;
};

// How much of a matrix every format shows unless all is asked for: of a long one
// the beginning.
Extent cut_of(const Matrix& matrix, bool full);

// "… 48 more rows, --full shows them": a line for the rows that are left out, and one for the columns.
std::vector<std::string> words_of_cut(const Matrix& matrix, Extent shown);

// "columns 9–16 of 20"; empty where that is all of them. `what` is one of them.
std::string words_of_part(std::string_view what, std::size_t begin, std::size_t end, std::size_t of);

}  // namespace attn
