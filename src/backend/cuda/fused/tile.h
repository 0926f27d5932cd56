#pragma once

#include "backend/cuda/fused/fused.h"
#include "backend/cuda/fused/ptx.h"

// What the kernels have in common: which cells are open, where tensors lie, and
// how a kernel is started.

namespace attn::cuda {

// Which keys a query of one sequence sees: those before of(query).
struct Reach {
  int length;  // valid keys of the sequence
  int offset;  // the position of query 0 among the keys; where it is not causal, beyond all keys

  __device__ int of(int query) const { return max(0, min(length, query + offset + 1)); }
};

inline __device__ Reach reach_of(const FusedCall& call, int batch) {
  constexpr std::int64_t kFar = 1 << 30;  // sees all, or nothing
  const std::int64_t offset = !call.causal ? kFar : call.offsets ? call.offsets[batch] : call.offset;
  const std::size_t length = call.lengths ? call.lengths[batch] : static_cast<std::size_t>(call.keys);
  return {length < static_cast<std::size_t>(call.keys) ? static_cast<int>(length) : call.keys,
          static_cast<int>(offset < -kFar  ? -kFar
                           : offset > kFar ? kFar
                                           : offset)};
}

// Row 0 of one head.
template <class T>
__device__ const T* head_of(const void* tensor, const FusedStrides& at, int batch, int head) {
  return static_cast<const T*>(tensor) + batch * at.batch + head * at.head;
}
template <class T>
__device__ T* head_of(void* tensor, const FusedStrides& at, int batch, int head) {
  return static_cast<T*>(tensor) + batch * at.batch + head * at.head;
}

constexpr float kLog2E = 1.4426950408889634f;

constexpr __host__ __device__ int ceil_div(int a, int b) { return (a + b - 1) / b; }

// Where chunk i (16 bytes) of row r lies in a tile of shared memory whose rows are
// d · 2 bytes: at place i ^ (r % 8) of the row. ldmatrix reads the same chunk of 8 rows at once,
// which so lie in different banks. As a row is a power of 2, chunk i ^ 2n for even
// i lies at swizzled(r, i) ^ 32·n.
template <int kWidth>
__device__ std::uint32_t swizzled(int row, int chunk) {
  return static_cast<std::uint32_t>(row * 2 * kWidth + ((chunk ^ (row % 8)) * 16));
}

// Starts kernel(arguments…) with that much shared memory for each block.
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), dim3 blocks, int threads, std::size_t shared_bytes,
                  cudaStream_t stream, Arguments... arguments) {
  // More than 48 KiB has to be asked for.
  const cudaError_t error =
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shared_bytes));
  if (error != cudaSuccess) return error;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// Whether a grid can have blocks for each head and each sequence.
inline bool fits_grid(const FusedCall& call) {
  constexpr int most = 65535;  // along its second and third axis
  return call.batch <= most && call.heads <= most;
}

// Whether tensor cores can read all tensors 16 bytes at a time.
inline bool in_chunks_of_16_bytes(const FusedCall& call) {
  const auto even = [](const void* tensor, const FusedStrides& at) {
    return reinterpret_cast<std::uintptr_t>(tensor) % 16 == 0 && at.batch % 8 == 0 && at.head % 8 == 0 &&
           at.row % 8 == 0;
  };
  return even(call.q, call.q_at) && even(call.k, call.k_at) && even(call.v, call.v_at) &&
         even(call.context, call.context_at);
}

// What the kernels for tensor cores ask of a call, besides their own wishes. A
// scale above 0 lets the largest score be found before it is scaled.
inline bool fits_tensor_cores(const FusedCall& call) {
  return call.dtype != Dtype::f32 && call.key_width == call.value_width &&
         (call.key_width == 64 || call.key_width == 128 || call.key_width == 256) && call.scale > 0 &&
         in_chunks_of_16_bytes(call);
}

// A block for so many queries of each head of each sequence.
inline dim3 blocks_of(const FusedCall& call, int queries) {
  return dim3(static_cast<unsigned>(ceil_div(call.queries, queries)), static_cast<unsigned>(call.heads),
              static_cast<unsigned>(call.batch));
}

// Launch::as<T, kWidth>(call, stream) for the numbers and the width of the call. REQUIRES: it fits tensor cores.
template <class Launch, class T>
cudaError_t launch_of_width(const FusedCall& call, cudaStream_t stream) {
  return call.key_width == 64    ? Launch::template as<T, 64>(call, stream)
         : call.key_width == 128 ? Launch::template as<T, 128>(call, stream)
                                 : Launch::template as<T, 256>(call, stream);
}

template <class Launch>
cudaError_t launch_on_tensor_cores(const FusedCall& call, cudaStream_t stream) {
  return call.dtype == Dtype::bf16 ? launch_of_width<Launch, Bf16>(call, stream)
                                   : launch_of_width<Launch, F16>(call, stream);
}

inline std::size_t no_workspace(const FusedCall&) { return 0; }

}  // namespace attn::cuda
