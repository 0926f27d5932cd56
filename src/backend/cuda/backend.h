#pragma once

#include "backend/backend.h"
#include "backend/cuda/device.h"

namespace attn {

// An NVIDIA GPU. Numbers are copied there and back for each operation.
//
// Single operations have the bits of the plain loops (backend/plain.h), but for sin, cos and
// pow (cells/functions.h says by how much). Fused attention adds products up in
// an order of its own.
//
// Throws a BackendError where the GPU fails or its memory is short.
class CudaBackend final : public Backend {
 public:
  // REQUIRES: why_no_device() found nothing.
  CudaBackend();

  std::string_view name() const override { return "cuda"; }

  Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                     Dtype dtype) override;

  // In f32: causal or not, lengths, offsets and heads that share keys; no other
  // masks, biases, sinks, caps or bases.
  bool attend(const FusedAttention<float>& call) override;
  using Backend::attend;  // f64 has no kernel

 private:
  int compute_capability_ = 0;  // 90 for 9.0
  cuda::DeviceMemory memory_;
  cuda::DeviceMemory workspace_;
};

}  // namespace attn
