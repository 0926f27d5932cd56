#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "formats/format.h"
#include "formats/html/script_data.h"

namespace attn {

// How much of a matrix a page shows: all of it, unless it is very large.
Extent shown_of(const Matrix& matrix, const FormatOptions& options);

// Whether the numbers of the matrix say where they come from; not so where
// somebody handed them in.
bool is_sourced(const Matrix& matrix);

// Whether it is the weights of queries (rows) over keys (columns).
bool are_weights(const Matrix& matrix);

// A matrix as a table that scrolls in its box, its place among those of the page
// being `number` where it is sourced.
std::string page_matrix(const Matrix& matrix, Extent shown, std::optional<std::size_t> number);

// The same weights as arcs, and how to read them. Empty where they are too many.
std::string page_arcs(const Matrix& weights);

}  // namespace attn
