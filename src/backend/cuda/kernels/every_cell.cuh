#pragma once

#include <algorithm>
#include <cstddef>
#include <cuda_runtime.h>

#include "backend/cuda/kernels/launch.h"

namespace attn::cuda {

template <class T, class Cell>
__global__ void every_cell(Cell cell, std::size_t count, double* result) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < count; at += threads) {
    result[at] = cell.template number<T>(at);
  }
}

template <class Cell>
cudaError_t launch(const Cell& cell, bool single, std::size_t count, double* result) {
  if (count == 0) return cudaSuccess;
  constexpr std::size_t block = 128;
  constexpr std::size_t most_blocks = std::size_t{1} << 20;  // a thread does several cells beyond that
  cudaLaunchConfig_t config = {};
  config.blockDim = dim3(static_cast<unsigned>(block));
  config.gridDim = dim3(static_cast<unsigned>(std::min((count + block - 1) / block, most_blocks)));
  return single ? cudaLaunchKernelEx(&config, every_cell<float, Cell>, cell, count, result)
                : cudaLaunchKernelEx(&config, every_cell<double, Cell>, cell, count, result);
}

}  // namespace attn::cuda
