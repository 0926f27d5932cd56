#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/place.h"
#include "trace/trace.h"

namespace attn {

// The numbers of a step or given tensor at one place (this head of this sequence),
// with their labels, sizes and words. With more than two axes there they become
// several matrices. `query`, where it is there, leaves only that row of queries.
// REQUIRES: the trace has that step or tensor.
std::vector<Matrix> matrices_at(const Trace& trace, const Numerals& numerals, const std::string& id, const Place& place,
                                std::optional<std::size_t> query = std::nullopt);

// The same at every place, in order.
std::vector<Matrix> matrices_of(const Trace& trace, const Numerals& numerals, const std::string& id);

// Where the cells of a matrix stand in its step's row-major numbers, row by row.
std::vector<std::size_t> places_of_cells(const Matrix& matrix);

}  // namespace attn
