#include "backend/cuda/fused/fused.h"

namespace attn::cuda {

const std::vector<FusedKernel>& fused_kernels() {
  static const std::vector<FusedKernel> ladder = {clear_kernel, mma_kernel,    wgmma_kernel,
                                                  roles_kernel, hopper_kernel, decode_kernel};
  return ladder;
}

const FusedKernel* best_fused_kernel(const FusedCall& call, int compute_capability) {
  const std::vector<FusedKernel>& ladder = fused_kernels();
  for (auto kernel = ladder.rbegin(); kernel != ladder.rend(); ++kernel) {
    if (kernel->supports(call, compute_capability)) return &*kernel;
  }
  return nullptr;
}

}  // namespace attn::cuda
