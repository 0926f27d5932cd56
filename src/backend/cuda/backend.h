#pragma once

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "backend/cuda/fused/fused.h"

namespace attn {

// What of a call the kernels know, but for where its tensors, offsets and lengths
// are; the context follows without gaps. REQUIRES: their integers hold its sizes.
cuda::FusedCall without_tensors(const FusedAttention<float>& call);

// An NVIDIA GPU. Numbers are copied there and back for each operation.
//
// Single operations have the bits of the plain loops (run_plainly), but for sin, cos and
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
  bool attend(const FusedAttention<float>& call) override { return attend_in(call, Dtype::f32); }
  using Backend::attend;  // f64 has no kernel

  // The same calls, on tensor cores.
  bool attends_in_16_bits() const override { return true; }
  bool attend_in_16_bits(const FusedAttention<float>& call, Dtype dtype) override { return attend_in(call, dtype); }

 private:
  bool attend_in(const FusedAttention<float>& call, Dtype dtype);

  int compute_capability_;
  cuda::DeviceMemory memory_;
  cuda::DeviceMemory workspace_;
};

}  // namespace attn
