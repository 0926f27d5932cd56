#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "backend/cuda/samples.h"

namespace attn::cuda {
namespace {

constexpr unsigned blocks = 1024, block = 256;

__device__ std::size_t first_cell() { return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::size_t all_threads() { return static_cast<std::size_t>(gridDim.x) * blockDim.x; }

__device__ void store(float number, double* to) { *to = static_cast<double>(number); }
__device__ void store(float number, float* to) { *to = number; }
__device__ void store(float number, __nv_bfloat16* to) { *to = __float2bfloat16_rn(number); }
__device__ void store(float number, __half* to) { *to = __float2half_rn(number); }

__device__ double widened(double number) { return number; }
__device__ double widened(float number) { return static_cast<double>(number); }
__device__ double widened(__nv_bfloat16 number) { return static_cast<double>(__bfloat162float(number)); }
__device__ double widened(__half number) { return static_cast<double>(__half2float(number)); }

template <class Number>
__global__ void fill_all(Number* numbers, std::size_t count, std::uint64_t seed) {
  for (std::size_t at = first_cell(); at < count; at += all_threads()) store(sample(seed, at), &numbers[at]);
}

template <class Number>
__global__ void widen_all(const Number* numbers, std::size_t count, double* wide) {
  for (std::size_t at = first_cell(); at < count; at += all_threads()) wide[at] = widened(numbers[at]);
}

}  // namespace

cudaError_t fill_with_samples(Dtype dtype, void* numbers, std::size_t count, std::uint64_t seed) {
  switch (dtype) {
    case Dtype::f64:
      fill_all<<<blocks, block>>>(static_cast<double*>(numbers), count, seed);
      break;
    case Dtype::f32:
      fill_all<<<blocks, block>>>(static_cast<float*>(numbers), count, seed);
      break;
    case Dtype::bf16:
      fill_all<<<blocks, block>>>(static_cast<__nv_bfloat16*>(numbers), count, seed);
      break;
    case Dtype::f16:
      fill_all<<<blocks, block>>>(static_cast<__half*>(numbers), count, seed);
      break;
  }
  return cudaGetLastError();
}

cudaError_t widen(Dtype dtype, const void* numbers, std::size_t count, double* wide) {
  switch (dtype) {
    case Dtype::f64:
      widen_all<<<blocks, block>>>(static_cast<const double*>(numbers), count, wide);
      break;
    case Dtype::f32:
      widen_all<<<blocks, block>>>(static_cast<const float*>(numbers), count, wide);
      break;
    case Dtype::bf16:
      widen_all<<<blocks, block>>>(static_cast<const __nv_bfloat16*>(numbers), count, wide);
      break;
    case Dtype::f16:
      widen_all<<<blocks, block>>>(static_cast<const __half*>(numbers), count, wide);
      break;
  }
  return cudaGetLastError();
}

}  // namespace attn::cuda
