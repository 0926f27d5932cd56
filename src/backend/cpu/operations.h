#pragma once

#include <optional>
#include <span>

#include "backend/backend.h"
#include "backend/cpu/threads.h"

// Single operations, faster than by the plain loops. Each gives nothing where
// those have to do it.

namespace attn {

// With the bits of the plain loops, a piece of the result at a time.
// REQUIRES: fewer operands than Pieces::most_tensors.
std::optional<Tensor<double>> run_in_pieces(Threads& threads, const Op& op, std::span<const View> operands,
                                            const View* open, const Shape& result, Dtype dtype);

// Σ a·b with the bits of the plain loop, where of the first two operands one, and
// one only, goes along the innermost axis of the result, and the mask does not: of
// each cell the products are added in index order, and the cells of a row are worked
// out side by side, so that vectors and threads split what is made and never a sum.
std::optional<Tensor<double>> contract(Threads& threads, const Contract& op, std::span<const View> operands,
                                       const View* open, const Shape& result, Dtype dtype);

}  // namespace attn
