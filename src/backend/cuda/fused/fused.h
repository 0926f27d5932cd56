#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <vector>

#include "tensor/dtype.h"

// C++17 and plain pointers, so that nvcc need not read the rest of the program.
namespace attn::cuda {

// How far apart neighbours stand along each axis of [batch, head, row, feature],
// in numbers; features follow one another.
struct FusedStrides {
  std::int64_t batch = 0, head = 0, row = 0;
};

// softmax(scale · Q·Kᵀ)·V over tensors that lie on the device, with the meaning
// that backend/fused.h gives these words. Products are added up in f32, whatever the
// tensors hold, and the context is rounded once, to their dtype.
//
// A row without an open cell gives a context of 0. What lies behind the last key
// that any query of a tile sees is never part of the result. The kernel "clear" reads
// no closed cell at all; for the others one that other queries of the tile see
// has a weight of 0, and 0 times an infinite value is no number.
struct FusedCall {
  Dtype dtype = Dtype::f32;                // not f64
  int batch = 1, heads = 1, kv_heads = 1;  // kv_heads divides heads; head h reads h / (heads / kv_heads)
  int queries = 0, keys = 0;
  int key_width = 0, value_width = 0;  // d_k, d_v

  const void* q = nullptr;  // [batch, head, query, d_k]
  const void* k = nullptr;  // [batch, kv head, key, d_k]
  const void* v = nullptr;  // [batch, kv head, key, d_v]
  void* context = nullptr;  // [batch, head, query, d_v]
  FusedStrides q_at, k_at, v_at, context_at;

  float scale = 1;

  // Causal: query i of sequence b sees the keys up to i + offset, where offset is
  // offsets[b], or the same for all where offsets is null.
  bool causal = false;
  std::int64_t offset = 0;
  const std::int64_t* offsets = nullptr;  // on the device, [batch], or null
  const std::size_t* lengths = nullptr;   // on the device, [batch], or null: how many keys are valid

  // What a kernel needs besides, as many bytes as its workspace() says: on the
  // device, aligned to 256 bytes, and zero before its first use. A call leaves it
  // fit for the next one on the same stream.
  void* workspace = nullptr;
};

// One kernel of the ladder.
struct FusedKernel {
  const char* name;     // "mma"
  const char* summary;  // what it does that the one before does not

  // Whether it computes this call on a device of that compute capability (90 for 9.0).
  bool (*supports)(const FusedCall& call, int compute_capability);

  // Bytes of workspace; 0 for most.
  std::size_t (*workspace)(const FusedCall& call);

  // Starts it on the stream and returns at once. REQUIRES: it supports the call.
  cudaError_t (*launch)(const FusedCall& call, cudaStream_t stream);
};

// The rungs, each from its own file.
extern const FusedKernel clear_kernel, mma_kernel, wgmma_kernel, roles_kernel, hopper_kernel, decode_kernel;

// The ladder, slowest first. The last rung is for few queries (decoding).
const std::vector<FusedKernel>& fused_kernels();

// The fastest that supports the call, or null where there is none.
const FusedKernel* best_fused_kernel(const FusedCall& call, int compute_capability);

}  // namespace attn::cuda
