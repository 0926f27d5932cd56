#include "backend/reference/reference.h"

#include "backend/plain.h"

namespace attn {

Tensor<double> ReferenceBackend::run(const Op& op, std::span<const View> operands, const View* open,
                                     const Shape& result, Dtype dtype) {
  return run_plainly(op, operands, open, result, dtype);
}

}  // namespace attn
