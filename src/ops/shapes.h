#pragma once

#include <span>

#include "ops/op.h"

namespace attn {

// The shape of what `op` makes of operands of these shapes, in the order in
// which every trace has its axes: batch, head, query, key, token, then the
// others as the operands bring them. With Vectors::columns the last two are
// exchanged where one is a position (query, key, token) and one a feature:
// so score matrices stay as they are.
//
// REQUIRES: fits(op, operands).
Shape result_shape(const Op& op, std::span<const Shape> operands, Vectors vectors);

// Whether the operands are as many as the op takes, of equal sizes under equal
// names, and have every axis that it names.
bool fits(const Op& op, std::span<const Shape> operands);

}  // namespace attn
