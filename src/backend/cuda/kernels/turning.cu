#include "backend/cuda/cells/turning.h"
#include "backend/cuda/kernels/every_cell.cuh"

namespace attn::cuda {

template cudaError_t launch(const WavesCell&, bool, std::size_t, double*);
template cudaError_t launch(const RotateCell&, bool, std::size_t, double*);

}  // namespace attn::cuda
