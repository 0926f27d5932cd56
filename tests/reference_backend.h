#pragma once

#include "backend/backend.h"

namespace attn {

// The plainest loops there are, one for every operation: the oracle that every
// backend is held against.
//
// Sums run in index order and nothing is fused or reordered, so the same
// operands give the same bits on every machine and with every compiler,
// whatever batch they stand in.
class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                     Dtype dtype) override {
    return run_plainly(op, operands, open, result, dtype);
  }
};

}  // namespace attn
