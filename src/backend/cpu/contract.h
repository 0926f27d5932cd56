#pragma once

#include <span>

#include "backend/backend.h"
#include "backend/cpu/threads.h"

namespace attn {

// Whether contract() can do it: of the first two operands one, and one only,
// goes along the innermost axis of the result, and the mask does not.
bool can_contract(const Contract& op, std::span<const View> operands, const View* open, const Shape& result);

// Σ a·b with the bits of the plain loop: of each cell the products are added in
// index order, and the cells of a row are worked out side by side, so that
// vectors and threads split what is made and never a sum.
//
// REQUIRES: can_contract().
Tensor<double> contract(Threads& threads, const Contract& op, std::span<const View> operands, const View* open,
                        const Shape& result, Dtype dtype);

}  // namespace attn
