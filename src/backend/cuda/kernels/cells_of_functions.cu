#include "backend/cuda/cells/each.h"
#include "backend/cuda/cells/softmax.h"
#include "backend/cuda/cells/turning.h"
#include "backend/cuda/kernels/every_cell.cuh"

// What may call CUDA's own erf, pow, sin and cos.

namespace attn::cuda {

template cudaError_t launch(const MapCell&, bool, std::size_t, double*);
template cudaError_t launch(const GateCell&, bool, std::size_t, double*);
template cudaError_t launch(const ExponentialCell&, bool, std::size_t, double*);
template cudaError_t launch(const SinkSumCell&, bool, std::size_t, double*);
template cudaError_t launch(const WeightCell&, bool, std::size_t, double*);
template cudaError_t launch(const ShareCell&, bool, std::size_t, double*);
template cudaError_t launch(const WavesCell&, bool, std::size_t, double*);
template cudaError_t launch(const RotateCell&, bool, std::size_t, double*);

}  // namespace attn::cuda
