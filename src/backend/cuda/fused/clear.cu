// The clear one: any width up to 256, f32 and 16-bit numbers, plain arithmetic.
//
// A block works out 32 queries of one head. It goes through the keys 32 at a time:
// brings them and their values to shared memory, and updates what it has of the
// result (the online softmax: Milakov & Gimelshein 2018, algorithm 3). Nothing
// of size queries × keys exists anywhere.
//
// The block's 8 warps have 4 queries each, so a row of scores belongs to one warp and
// its maximum and sum need no barrier, only shuffles:
//   scores   lane j has key j: s = scale · q·k_j
//   context  lane j has features j, j + 32, …: o = Σ p_k · v_k
//
// Shared memory, all f32: queries [32][d_k], keys [32][d_k + 1], values [32][d_v].
// The one number more a row puts the 32 keys that a warp reads at once, one
// feature of each, into 32 different banks. The queries are the same for a whole warp.

#include "backend/cuda/fused/tile.h"

namespace attn::cuda {
namespace {

constexpr int kQueries = 32;  // of a block
constexpr int kKeys = 32;     // at a time, one a lane
constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;
constexpr int kRows = kQueries / kWarps;  // queries of a warp
constexpr int kWidest = 256;
constexpr int kColumns = kWidest / 32;  // features of a lane, at most

// Copies rows [first, first + 32) to shared memory, zeros past the last.
template <class T>
__device__ void bring(float* to, int to_row, const T* head, std::int64_t row, int first, int rows, int width) {
  for (int i = static_cast<int>(threadIdx.x); i < 32 * width; i += kThreads) {
    const int r = i / width, feature = i % width;
    to[r * to_row + feature] = first + r < rows ? widened(head[(first + r) * row + feature]) : 0;
  }
}

__device__ float largest_of_warp(float x) {
  for (int apart = 16; apart > 0; apart /= 2) x = fmaxf(x, shuffle_xor(x, apart));
  return x;
}

__device__ float sum_of_warp(float x) {
  for (int apart = 16; apart > 0; apart /= 2) x += shuffle_xor(x, apart);
  return x;
}

template <class T>
__global__ void __launch_bounds__(kThreads) clear_attention(const FusedCall call) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int batch = static_cast<int>(blockIdx.z), head = static_cast<int>(blockIdx.y);
  const int kv_head = head / (call.heads / call.kv_heads);
  const int first_query = static_cast<int>(blockIdx.x) * kQueries;
  const int d_k = call.key_width, d_v = call.value_width;

  float* const queries = reinterpret_cast<float*>(shared_memory());
  float* const keys = queries + kQueries * d_k;
  float* const values = keys + kKeys * (d_k + 1);

  const Reach reach = reach_of(call, batch);
  const T* const k = head_of<T>(call.k, call.k_at, batch, kv_head);
  const T* const v = head_of<T>(call.v, call.v_at, batch, kv_head);
  bring(queries, d_k, head_of<T>(call.q, call.q_at, batch, head), call.q_at.row, first_query, call.queries, d_k);

  // What is known of the warp's rows after the keys so far: the largest score,
  // the sum of e^(s − largest), and Σ e^(s − largest) · v.
  float largest[kRows], sum[kRows], context[kRows][kColumns];
  for (int r = 0; r < kRows; ++r) {
    largest[r] = -INFINITY;
    sum[r] = 0;
    for (int c = 0; c < kColumns; ++c) context[r][c] = 0;
  }

  // No query of the block sees further than its last one.
  const int keys_seen = reach.of(min(first_query + kQueries, call.queries) - 1);
  for (int first_key = 0; first_key < keys_seen; first_key += kKeys) {
    sync_block();  // everybody is done with the tile before
    bring(keys, d_k + 1, k, call.k_at.row, first_key, keys_seen, d_k);
    bring(values, d_v, v, call.v_at.row, first_key, keys_seen, d_v);
    sync_block();

#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int row = warp * kRows + r;
      const int open = min(reach.of(first_query + row) - first_key, kKeys);
      if (open <= 0) continue;  // the same for the whole warp

      float score = 0;
      for (int i = 0; i < d_k; ++i) score = fmaf(queries[row * d_k + i], keys[lane * (d_k + 1) + i], score);
      score = lane < open ? score * call.scale : -INFINITY;

      // What was summed up relative to the old maximum is made relative to the new one.
      const float new_largest = fmaxf(largest[r], largest_of_warp(score));
      const float shift = new_largest == -INFINITY ? 0 : new_largest;  // open scores of −∞ only
      const float rescale = exponential(largest[r] - shift);
      const float weight = exponential(score - shift);
      largest[r] = new_largest;
      sum[r] = sum[r] * rescale + sum_of_warp(weight);
      for (int c = 0; c < kColumns; ++c) context[r][c] *= rescale;

      // Closed keys are the last ones, and are not read.
      for (int j = 0; j < open; ++j) {
        const float w = shuffle(weight, j);
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
          const int feature = lane + 32 * c;
          if (feature < d_v) context[r][c] = fmaf(w, values[j * d_v + feature], context[r][c]);
        }
      }
    }
  }

  T* const out = head_of<T>(call.context, call.context_at, batch, head);
  for (int r = 0; r < kRows; ++r) {
    const int query = first_query + warp * kRows + r;
    if (query >= call.queries) continue;
    for (int c = 0; c < kColumns; ++c) {
      const int feature = lane + 32 * c;
      // A row without an open key has a sum of 0, and a context of 0.
      if (feature < d_v)
        out[query * call.context_at.row + feature] = narrowed<T>(sum[r] == 0 ? 0 : context[r][c] / sum[r]);
    }
  }
}

bool supports(const FusedCall& call, int) {
  return call.key_width <= kWidest && call.value_width <= kWidest && fits_grid(call);
}

cudaError_t launch(const FusedCall& call, cudaStream_t stream) {
  const int numbers = kQueries * call.key_width + kKeys * (call.key_width + 1) + kKeys * call.value_width;
  const auto kernel = call.dtype == Dtype::f32    ? clear_attention<float>
                      : call.dtype == Dtype::bf16 ? clear_attention<Bf16>
                                                  : clear_attention<F16>;
  return start(kernel, blocks_of(call, kQueries), kThreads, sizeof(float) * static_cast<std::size_t>(numbers), stream, call);
}

}  // namespace

const FusedKernel clear_kernel = {
    "clear", "a block a tile of queries, online softmax, plain multiply-adds; f32 too, any width up to 256", supports,
    no_workspace, launch};

}  // namespace attn::cuda
