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

// "… rows 17 to 64 are left out": a line for the rows, and one for the columns.
std::vector<std::string> words_of_cut(const Matrix& matrix, Extent shown);

// How to see all, where matrices of the document are cut that have more than so many numbers.
std::vector<std::string> hints_on_cuts(const Document& document, bool full, std::size_t whole_up_to = 0);

// "columns 9–16 of 20"; empty where that is all of them. `what` is one of them.
std::string words_of_part(std::string_view what, std::size_t begin, std::size_t end, std::size_t of);

}  // namespace attn
