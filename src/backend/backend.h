#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "backend/fused.h"
#include "base/diagnostic.h"
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

// Thrown by a backend whose machine fails it in the midst of a computation that
// is right: a GPU's memory is short, or it is lost. The program ends with exit 3.
class BackendError final : public std::exception {
 public:
  explicit BackendError(Diagnostic fault) : fault_(std::move(fault)) {}

  const Diagnostic& fault() const { return fault_; }
  const char* what() const noexcept override { return fault_.message.c_str(); }

 private:
  Diagnostic fault_;
};

// A product with a matrix that is the same each time, made ready once.
class ReadyProduct {
 public:
  virtual ~ReadyProduct() = default;

  // What the backend makes of such operands; of the second no number is read.
  virtual Tensor<double> run(std::span<const View> operands, const Shape& result) = 0;
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

  // The same backend where nothing but a result is looked at: sums may be added
  // up in any order, which is faster and has other bits. Lives as long as this.
  virtual Backend& in_any_order() { return *this; }

  // Makes the operation ready whose second operand will have these numbers each time; of
  // the others only the shapes are read. The numbers are not needed any more. Null where
  // the backend has nothing to make ready. REQUIRES: as run(), with no cell closed; it
  // outlives the product.
  virtual std::unique_ptr<ReadyProduct> ready(const Op& /*op*/, std::span<const View> /*operands*/,
                                              const Shape& /*result*/, Dtype /*dtype*/) {
    return nullptr;
  }

  // Computes attention at once. Returns false, and does nothing, where the
  // backend has no fused attention for the call.
  virtual bool attend(const FusedAttention<float>&) { return false; }
  virtual bool attend(const FusedAttention<double>&) { return false; }

  // Whether it may in a dtype of 16 bits, and does so: the call holds numbers of that
  // dtype, what is added up is so in f32, and each weight and each number of the
  // context is rounded to the dtype once.
  virtual bool attends_in_16_bits() const { return false; }
  virtual bool attend_in_16_bits(const FusedAttention<float>&, Dtype) { return false; }
};

// One operation by the plain loops of ops/run.h, as Backend::run promises it.
Tensor<double> run_plainly(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                           Dtype dtype);

}  // namespace attn
