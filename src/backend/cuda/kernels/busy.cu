#include <cuda_runtime.h>

#include "backend/cuda/kernels/busy.h"

namespace attn::cuda {
namespace {

constexpr int rounds = 4096;
constexpr int chains = 8;  // independent of each other, so that none waits
constexpr unsigned block = 256, blocks_each = 4;

// The result is written only where it is a number that it never is, which the
// compiler cannot know.
template <class Number>
__global__ void multiply_and_add(Number factor, Number* never) {
  Number sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = static_cast<Number>(threadIdx.x + i);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < chains; ++i) sums[i] = fma(sums[i], factor, factor);
  }
  Number total = 0;
  for (int i = 0; i < chains; ++i) total += sums[i];
  if (total == Number{-12345}) *never = total;
}

// Products of 16 × 16 and 16 × 8 numbers by mma.sync.
template <bool is_bf16>
__global__ void multiply_tiles(unsigned factor, float* never) {
  float sums[chains][4] = {};
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      float* c = sums[i];
      if constexpr (is_bf16) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(factor));
      } else {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(factor));
      }
    }
  }
  float total = 0;
  for (const auto& tile : sums) total += tile[0] + tile[1] + tile[2] + tile[3];
  if (total == -12345.0F) *never = total;
}

}  // namespace

cudaError_t start_busy(Dtype dtype, double& operations) {
  int device = 0, multiprocessors = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device)) {
    return error;
  }
  const unsigned blocks = blocks_each * static_cast<unsigned>(multiprocessors);
  const double each = static_cast<double>(rounds) * chains * blocks * block;
  operations = 2 * each;
  switch (dtype) {
    case Dtype::f64:
      multiply_and_add<<<blocks, block>>>(0.5, static_cast<double*>(nullptr));
      break;
    case Dtype::f32:
      multiply_and_add<<<blocks, block>>>(0.5F, static_cast<float*>(nullptr));
      break;
    case Dtype::bf16:
      operations = 2.0 * 16 * 8 * 16 * each / 32;  // a warp does one together
      multiply_tiles<true><<<blocks, block>>>(0x3c003c00u, nullptr);
      break;
    case Dtype::f16:
      operations = 2.0 * 16 * 8 * 16 * each / 32;
      multiply_tiles<false><<<blocks, block>>>(0x1c001c00u, nullptr);
      break;
  }
  return cudaGetLastError();
}

}  // namespace attn::cuda
