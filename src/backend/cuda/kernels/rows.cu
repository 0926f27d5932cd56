#include "backend/cuda/cells/rows.h"
#include "backend/cuda/kernels/every_cell.cuh"

namespace attn::cuda {

template cudaError_t launch(const SumCell&, bool, std::size_t, double*);
template cudaError_t launch(const NormCell&, bool, std::size_t, double*);
template cudaError_t launch(const MaximumCell&, bool, std::size_t, double*);

}  // namespace attn::cuda
