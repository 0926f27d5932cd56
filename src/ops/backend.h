#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace attn {

// A tensor as an operation reads it: the numbers of another under axis names
// of its own.
struct View {
  Shape shape;
  std::span<const double> data;
};

// Where operations are computed.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;

  // Computes one operation. Every product, partial sum and function result is
  // rounded to `dtype`, or only the result (rounds_once_a_step); the operands hold numbers of `dtype` already. `open`,
  // where it is not null, is 1 at cells that may be read and 0 at closed ones:
  // what stands behind a closed cell is never read.
  //
  // REQUIRES: `result` is result_shape(op, …) of the operands in some layout.
  virtual Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                             Dtype dtype) = 0;
};

}  // namespace attn
