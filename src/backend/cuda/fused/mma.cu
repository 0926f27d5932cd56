// Tensor cores on every GPU since Ampere: mma.sync (Dao 2023, FlashAttention-2).
//
// A block works out 128 queries of one head (64 where heads are 256 wide), a warp
// 32 or 16 of them. It goes through the keys 64 at a time, from the last to the first, so that
// the tiles with closed cells come first and all others need no test. For each tile
//
//   S = Q·Kᵀ      tensor cores; S stays in registers, in the layout of fragments.h
//   P = weights   the online softmax, in those registers
//   O += P·V      tensor cores; P goes from the accumulators of one product to the
//                 left operand of the next without leaving the thread
//
// Copies are asynchronous (cp.async) and one step ahead: the values of a tile arrive while its
// scores are computed, the keys of the next tile while P·V is.
//
// Shared memory: Q [128][d], K [64][d], V [64][d], all of 16 bits, in chunks of 16
// bytes, in an order that keeps ldmatrix to different banks (swizzled()).

#include "backend/cuda/fused/fragments.h"

namespace attn::cuda {
namespace {

template <int kWidth>
struct Tile {
  static constexpr int kWarps = 4;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kBands = kWidth == 256 ? 1 : 2;  // of 16 queries, for a warp
  static constexpr int kQueries = 16 * kBands * kWarps;
  static constexpr int kKeys = 64;
  static constexpr int kRow = 2 * kWidth;  // bytes
  static constexpr int kQueryBytes = kQueries * kRow, kKeyBytes = kKeys * kRow;
  static constexpr int kSharedBytes = kQueryBytes + 2 * kKeyBytes;

  // Starts to copy rows first, first + 1, …; zeros past the last.
  template <int kRows, class T>
  static __device__ void bring(std::uint32_t to, const T* head, std::int64_t row_stride, int first, int rows) {
    constexpr int kChunks = kWidth / 8, kRowsAtOnce = kThreads / kChunks;
    const int chunk = static_cast<int>(threadIdx.x) % kChunks, row = static_cast<int>(threadIdx.x) / kChunks;
    const T* from = head + (first + row) * row_stride + 8 * chunk;
#pragma unroll
    for (int i = 0; i < kRows; i += kRowsAtOnce) {
      cp_async_16(to + swizzled<kWidth>(row + i, chunk), from, first + row + i < rows);
      from += kRowsAtOnce * row_stride;
    }
    cp_async_commit();
  }
};

// S = Q·Kᵀ for the warp's queries and all keys of the tile.
template <class T, int kWidth>
__device__ void multiply_qk(float (&scores)[Tile<kWidth>::kBands][8][4], std::uint32_t q, std::uint32_t k) {
  using Size = Tile<kWidth>;
#pragma unroll
  for (int band = 0; band < Size::kBands; ++band) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[band][j][i] = 0;
    }
  }
#pragma unroll
  for (int step = 0; step < kWidth / 16; ++step) {  // 16 features
    std::uint32_t a[Size::kBands][4];
#pragma unroll
    for (int band = 0; band < Size::kBands; ++band) ldmatrix_x4(a[band], (q ^ (32u * step)) + 16 * band * Size::kRow);
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {  // 16 keys
      std::uint32_t b[4];
      ldmatrix_x4(b, (k ^ (32u * step)) + 16 * pair * Size::kRow);
#pragma unroll
      for (int band = 0; band < Size::kBands; ++band) {
        mma_m16n8k16<T>(scores[band][2 * pair], a[band], b[0], b[1]);
        mma_m16n8k16<T>(scores[band][2 * pair + 1], a[band], b[2], b[3]);
      }
    }
  }
}

// O += P·V.
template <class T, int kWidth>
__device__ void multiply_pv(float (&context)[Tile<kWidth>::kBands][kWidth / 8][4],
                            const std::uint32_t (&weights)[Tile<kWidth>::kBands][4][4], std::uint32_t v) {
  using Size = Tile<kWidth>;
#pragma unroll
  for (int step = 0; step < 4; ++step) {  // 16 keys
#pragma unroll
    for (int pair = 0; pair < kWidth / 16; ++pair) {  // 16 features
      std::uint32_t b[4];
      ldmatrix_x4_trans(b, (v ^ (32u * pair)) + 16 * step * Size::kRow);
#pragma unroll
      for (int band = 0; band < Size::kBands; ++band) {
        mma_m16n8k16<T>(context[band][2 * pair], weights[band][step], b[0], b[1]);
        mma_m16n8k16<T>(context[band][2 * pair + 1], weights[band][step], b[2], b[3]);
      }
    }
  }
}

template <class T, int kWidth>
__global__ void __launch_bounds__(Tile<kWidth>::kThreads) mma_attention(const FusedCall call, const float scale_log2) {
  using Size = Tile<kWidth>;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int batch = static_cast<int>(blockIdx.z), head = static_cast<int>(blockIdx.y);
  const int kv_head = head / (call.heads / call.kv_heads);
  // Later queries see more keys of a causal sequence: the longest work first.
  const int first_query = static_cast<int>(gridDim.x - 1 - blockIdx.x) * Size::kQueries;
  const int first_row = warp * 16 * Size::kBands;  // of the warp, in the block

  const std::uint32_t q_tile = shared_address(shared_memory());
  const std::uint32_t k_tile = q_tile + Size::kQueryBytes, v_tile = k_tile + Size::kKeyBytes;
  // The row whose address this lane gives to ldmatrix: of four 8 × 8 matrices in this order,
  //   Q: queries 0–7 and 8–15 at features 0–7, then both at features 8–15
  //   K: keys 0–7 at features 0–7 and 8–15, then keys 8–15
  //   V: keys 0–7 and 8–15 at features 0–7, then at 8–15; transposed, since a
  //      thread wants two keys of one feature
  const std::uint32_t q_lane = q_tile + swizzled<kWidth>(first_row + lane % 16, lane / 16);
  const std::uint32_t k_lane = k_tile + swizzled<kWidth>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
  const std::uint32_t v_lane = v_tile + swizzled<kWidth>(lane % 16, lane / 16);

  const T* const q = head_of<T>(call.q, call.q_at, batch, head);
  const T* const k = head_of<T>(call.k, call.k_at, batch, kv_head);
  const T* const v = head_of<T>(call.v, call.v_at, batch, kv_head);

  const Reach reach = reach_of(call, batch);
  const int keys_seen = reach.of(min(first_query + Size::kQueries, call.queries) - 1);
  const int keys_of_all = reach.of(first_query);  // what the first query sees, all do

  TwoRows rows[Size::kBands];
  float context[Size::kBands][kWidth / 8][4] = {};

  int tile = ceil_div(keys_seen, Size::kKeys) - 1;
  if (tile >= 0) {
    Size::template bring<Size::kQueries>(q_tile, q, call.q_at.row, first_query, call.queries);
    Size::template bring<Size::kKeys>(k_tile, k, call.k_at.row, tile * Size::kKeys, keys_seen);
  }
  for (; tile >= 0; --tile) {
    const int first_key = tile * Size::kKeys;
    cp_async_wait<0>();
    sync_block();  // the keys are there, and everybody is done with the values before
    Size::template bring<Size::kKeys>(v_tile, v, call.v_at.row, first_key, keys_seen);

    float scores[Size::kBands][8][4];
    multiply_qk<T, kWidth>(scores, q_lane, k_lane);

    std::uint32_t weights[Size::kBands][4][4];
    const bool some_closed = first_key + Size::kKeys > keys_of_all;
#pragma unroll
    for (int band = 0; band < Size::kBands; ++band) {
      if (some_closed) {
        const int query = first_query + first_row + 16 * band + lane / 4;
        const int open[2] = {reach.of(query) - first_key, reach.of(query + 8) - first_key};
        close_cells(scores[band], open, lane);
      }
      float rescale[2];
      rows[band].weights_of(scores[band], scale_log2, rescale);
      multiply_rows(context[band], rescale);
      pack_weights<T>(weights[band], scores[band]);
    }

    cp_async_wait<0>();
    sync_block();  // the values are there, and everybody is done with the keys
    if (tile > 0) Size::template bring<Size::kKeys>(k_tile, k, call.k_at.row, first_key - Size::kKeys, keys_seen);
    multiply_pv<T, kWidth>(context, weights, v_lane);
  }

  T* const out = head_of<T>(call.context, call.context_at, batch, head);
#pragma unroll
  for (int band = 0; band < Size::kBands; ++band) {
    float factor[2];
    rows[band].finish(factor);
    multiply_rows(context[band], factor);
    const int query = first_query + first_row + 16 * band + lane / 4;
    T* const row = out + query * call.context_at.row;
    store_rows(row, row + 8 * call.context_at.row, query < call.queries, query + 8 < call.queries, context[band], lane);
  }
}

struct Launch {
  template <class T, int kWidth>
  static cudaError_t as(const FusedCall& call, cudaStream_t stream) {
    using Size = Tile<kWidth>;
    return start(mma_attention<T, kWidth>, blocks_of(call, Size::kQueries), Size::kThreads, Size::kSharedBytes, stream,
                 call, call.scale * kLog2E);
  }
};

bool supports(const FusedCall& call, int compute_capability) {
  return compute_capability >= 80 && fits_tensor_cores(call) && fits_grid(call);
}

}  // namespace

const FusedKernel mma_kernel = {
    "mma", "tensor cores (mma.sync) with scores and weights in registers; copies one step ahead (cp.async)", supports,
    no_workspace, launch_on_tensor_cores<Launch>};

}  // namespace attn::cuda
