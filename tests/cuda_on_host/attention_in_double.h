#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/fused/fused.h"

// A call of a fused kernel with tensors of its own, drawn at random, and what it
// should come to.

namespace cuda_on_host {

struct Case {
  attn::Dtype dtype = attn::Dtype::bf16;
  int batch = 1, heads = 1, kv_heads = 1;
  int queries = 1, keys = 1, key_width = 64, value_width = 64;
  bool causal = false;
  std::vector<std::int64_t> offsets = {};  // one a sequence, or one for all
  std::vector<std::size_t> lengths = {};   // one a sequence, or none
  bool rows_first = false;                 // tensors as [batch, row, head, feature]
  bool nan_behind_closed = false;          // NaN in keys and values that no query sees
  float spread = 1;                        // of queries and keys
  unsigned seed = 1;
  unsigned multiprocessors = 3;
  bool once = false;  // or twice: what has a workspace finds it as the first time has left it
};

// In words, for messages.
std::string described(const Case& what);

// Runs the kernel on the host and returns what is wrong with its result, or "".
//
// Each number of the context is allowed what rounding once to its dtype, weights
// rounded to it, and f32 sums in any order may cost.
std::string complaint(const attn::cuda::FusedKernel& kernel, const Case& what, int compute_capability);

}  // namespace cuda_on_host
