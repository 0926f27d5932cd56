#include "backend/cuda/cells/moving.h"
#include "backend/cuda/kernels/every_cell.cuh"

namespace attn::cuda {

template cudaError_t launch(const CopyCell&, bool, std::size_t, double*);
template cudaError_t launch(const MergeCell&, bool, std::size_t, double*);
template cudaError_t launch(const JoinCell&, bool, std::size_t, double*);
template cudaError_t launch(const RepeatCell&, bool, std::size_t, double*);
template cudaError_t launch(const PickCell&, bool, std::size_t, double*);

cudaError_t has_code_for_device() {
  cudaFuncAttributes ignored;
  return cudaFuncGetAttributes(&ignored, every_cell<double, CopyCell>);
}

}  // namespace attn::cuda
