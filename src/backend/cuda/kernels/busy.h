#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/samples.h"

// C++17.
namespace attn::cuda {

// Starts multiply-adds in registers that keep every multiprocessor busy, and says
// how many operations they are: of the plain units in f64 and f32, and of
// mma.sync, which is not the fastest instruction of newer devices, in bf16 and f16.
cudaError_t start_busy(Dtype dtype, double& operations);

}  // namespace attn::cuda
