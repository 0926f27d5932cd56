#pragma once

#include <span>

#include "backend/backend.h"

namespace attn {

// One operation by the plain loops of ops/run.h, as Backend::run promises it.
Tensor<double> run_plainly(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                           Dtype dtype);

}  // namespace attn
