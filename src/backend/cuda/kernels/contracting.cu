#include "backend/cuda/cells/rows.h"
#include "backend/cuda/kernels/every_cell.cuh"

namespace attn::cuda {

template cudaError_t launch(const ContractCell&, bool, std::size_t, double*);

}  // namespace attn::cuda
