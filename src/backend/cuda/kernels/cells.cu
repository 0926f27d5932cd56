#include "backend/cuda/cells/each.h"
#include "backend/cuda/cells/moving.h"
#include "backend/cuda/cells/rows.h"
#include "backend/cuda/kernels/every_cell.cuh"

// What has the bits of the plain loops on every GPU.

namespace attn::cuda {

template cudaError_t launch(const CopyCell&, bool, std::size_t, double*);
template cudaError_t launch(const MergeCell&, bool, std::size_t, double*);
template cudaError_t launch(const JoinCell&, bool, std::size_t, double*);
template cudaError_t launch(const RepeatCell&, bool, std::size_t, double*);
template cudaError_t launch(const PickCell&, bool, std::size_t, double*);
template cudaError_t launch(const CombineCell&, bool, std::size_t, double*);
template cudaError_t launch(const CloseCell&, bool, std::size_t, double*);
template cudaError_t launch(const NormalizedCell&, bool, std::size_t, double*);
template cudaError_t launch(const ContractCell&, bool, std::size_t, double*);
template cudaError_t launch(const SumCell&, bool, std::size_t, double*);
template cudaError_t launch(const NormCell&, bool, std::size_t, double*);
template cudaError_t launch(const MeanCell&, bool, std::size_t, double*);
template cudaError_t launch(const MaximumCell&, bool, std::size_t, double*);

cudaError_t has_code_for_device() {
  cudaFuncAttributes ignored;
  return cudaFuncGetAttributes(&ignored, every_cell<double, CopyCell>);
}

}  // namespace attn::cuda
