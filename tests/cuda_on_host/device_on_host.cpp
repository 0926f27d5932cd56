// A device whose memory is the host's, so that what starts kernels runs as well.

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>

#include "backend/cuda/kernels/busy.h"
#include "backend/cuda/samples.h"
#include "bench/workload.h"
#include "gpu/numbers.h"

namespace {

constexpr std::size_t all_memory = std::size_t{1} << 32;

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

}  // namespace

// Hidden as others are.
cudaError_t cudaGetDeviceCount(int* count) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  *count = visible && std::strcmp(visible, "-1") == 0 ? 0 : 1;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"this processor, taken for a GPU", all_memory, 9, 0};
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "out of order"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaError"; }

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = all_memory;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = bytes > all_memory ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
  return std::memset(memory, byte, bytes), cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = new double(0), cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event) { return *event = now(), cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = static_cast<float>(*to - *from);
  return cudaSuccess;
}

// Kernels that are in CUDA's own words, done over in C++'s.
namespace attn::cuda {

cudaError_t fill_with_samples(Dtype dtype, void* numbers, std::size_t count, std::uint64_t seed) {
  for (std::size_t at = 0; at < count; ++at) {
    encode(stored(sample(seed, at), dtype), dtype, static_cast<std::byte*>(numbers) + at * bytes_of(dtype));
  }
  return cudaSuccess;
}

cudaError_t widen(Dtype dtype, const void* numbers, std::size_t count, double* wide) {
  for (std::size_t at = 0; at < count; ++at) {
    wide[at] = decoded(static_cast<const std::byte*>(numbers) + at * bytes_of(dtype), dtype);
  }
  return cudaSuccess;
}

cudaError_t start_busy(Dtype, double& operations) { return operations = 1, cudaSuccess; }

}  // namespace attn::cuda
