#include "backend/cuda/cells/each.h"
#include "backend/cuda/kernels/every_cell.cuh"

namespace attn::cuda {

template cudaError_t launch(const CombineCell&, bool, std::size_t, double*);
template cudaError_t launch(const MapCell&, bool, std::size_t, double*);
template cudaError_t launch(const CloseCell&, bool, std::size_t, double*);

}  // namespace attn::cuda
