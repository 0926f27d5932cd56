#pragma once

#include "backend/cuda/fused/fragments.h"
#include "backend/cuda/fused/hopper/ptx_hopper.h"
#include "backend/cuda/fused/hopper/tensor_map.h"

// What the kernels for Hopper have in common: tiles in shared memory, how they
// come there, and the two products of a warpgroup.

namespace attn::cuda {

// How large tiles are: 64 queries for each of kGroups_ warpgroups that compute, so many
// keys and values, and how many buffers there are for them.
template <int kWidth_, int kKeys_, int kGroups_, int kQueryStages_, int kStages_>
struct TileSizes {
  static constexpr int kWidth = kWidth_, kKeys = kKeys_, kGroups = kGroups_;
  static constexpr int kQueries = 64 * kGroups;
  static constexpr int kQueryStages = kQueryStages_, kStages = kStages_;

  static constexpr int kColumns = kWidth / 64;                                   // boxes of 64 features
  static constexpr int kQueryColumn = 128 * kQueries, kKeyColumn = 128 * kKeys;  // bytes
  static constexpr int kQueryBytes = kColumns * kQueryColumn, kKeyBytes = kColumns * kKeyColumn;
  // Where mbarriers begin, and a number for which piece of work is next.
  static constexpr int kBarriers = kQueryStages * kQueryBytes + 2 * kStages * kKeyBytes;
  static constexpr int kPiece = kBarriers + 8 * (2 * kQueryStages + 4 * kStages + 2);
  static constexpr int kSharedBytes = kPiece + 8;
};

// Where things are in shared memory, each tile as [d / 64][rows][64] with the
// 128-byte swizzle that accelerator and wgmma agree on (ptx_hopper.h):
//
//   Q [queries][d] × stages   K [keys][d] × stages   V [keys][d] × stages   mbarriers
//
// A buffer has two mbarriers: "full", at which the accelerator counts bytes, and
// "empty", at which each warp that computes arrives when it has read it.
template <class Size>
struct TilePlaces {
  std::uint32_t start;

  __device__ std::uint32_t q(int stage) const { return start + stage * Size::kQueryBytes; }
  __device__ std::uint32_t k(int stage) const { return q(Size::kQueryStages) + stage * Size::kKeyBytes; }
  __device__ std::uint32_t v(int stage) const { return k(Size::kStages + stage); }

  __device__ Mbarrier q_full(int stage) const { return barrier(stage, "q_full", stage); }
  __device__ Mbarrier q_empty(int stage) const { return barrier(Size::kQueryStages + stage, "q_empty", stage); }
  __device__ Mbarrier k_full(int stage) const { return of_keys(0, "k_full", stage); }
  __device__ Mbarrier k_empty(int stage) const { return of_keys(1, "k_empty", stage); }
  __device__ Mbarrier v_full(int stage) const { return of_keys(2, "v_full", stage); }
  __device__ Mbarrier v_empty(int stage) const { return of_keys(3, "v_empty", stage); }

  __device__ Mbarrier piece_full() const { return of_keys(4, "piece_full", 0); }
  __device__ Mbarrier piece_empty() const {
    return barrier(2 * Size::kQueryStages + 4 * Size::kStages + 1, "piece_empty", 0);
  }
  __device__ volatile int& piece() const { return *reinterpret_cast<int*>(shared_memory() + Size::kPiece); }

 private:
  __device__ Mbarrier of_keys(int which, const char* name, int stage) const {
    return barrier(2 * Size::kQueryStages + which * Size::kStages + stage, name, stage);
  }
  __device__ Mbarrier barrier(int number, const char* name, int stage) const {
    return {start + Size::kBarriers + 8 * number, name, stage};
  }
};

// By one thread, before all others pass a barrier of the block.
template <class Size>
__device__ void make_mbarriers(const TilePlaces<Size>& at) {
  constexpr int kWarps = 4 * Size::kGroups;  // that compute
  for (int stage = 0; stage < Size::kQueryStages; ++stage) {
    mbarrier_init(at.q_full(stage), 1);
    mbarrier_init(at.q_empty(stage), kWarps);
  }
  for (int stage = 0; stage < Size::kStages; ++stage) {
    mbarrier_init(at.k_full(stage), 1);
    mbarrier_init(at.v_full(stage), 1);
    mbarrier_init(at.k_empty(stage), kWarps);
    mbarrier_init(at.v_empty(stage), kWarps);
  }
  mbarrier_init(at.piece_full(), 1);
  mbarrier_init(at.piece_empty(), kWarps);
  fence_mbarrier_init();
}

// The next buffer of a ring, and the parity of the phase to wait for there.
template <int kStages>
struct Ring {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// How many keys a piece of work has to go through, and how many of them all its queries see.
struct SeenKeys {
  int seen, seen_by_all;
};

template <int kQueries>
__device__ SeenKeys span_of(const FusedCall& call, const Reach& reach, int first_query) {
  return {reach.of(min(first_query + kQueries, call.queries) - 1), reach.of(first_query)};
}

// --- How tiles come to shared memory -------------------------------------------------

struct TensorMaps {
  TensorMap q, k, v;
};

// All that is done before a kernel starts.
template <class Size>
cudaError_t describe(TensorMaps* maps, const FusedCall& call) {
  cudaError_t error = watch_waits();
  if (error != cudaSuccess) return error;
  error = describe(&maps->q, call.q, call.dtype, call.q_at, call.batch, call.heads, call.queries, call.key_width,
                   Size::kQueries);
  if (error != cudaSuccess) return error;
  error = describe(&maps->k, call.k, call.dtype, call.k_at, call.batch, call.kv_heads, call.keys, call.key_width,
                   Size::kKeys);
  if (error != cudaSuccess) return error;
  return describe(&maps->v, call.v, call.dtype, call.v_at, call.batch, call.kv_heads, call.keys, call.value_width,
                  Size::kKeys);
}

// What all of them ask of a call.
inline bool fits_hopper(const FusedCall& call, int compute_capability) {
  const auto describable = [&](const FusedStrides& at, int heads, int rows) {
    return TensorAxes(at, call.batch, heads, rows).nested(call.key_width);
  };
  return compute_capability == 90 && fits_tensor_cores(call) && describable(call.q_at, call.heads, call.queries) &&
         describable(call.k_at, call.kv_heads, call.keys) && describable(call.v_at, call.kv_heads, call.keys);
}

// Asks the accelerator for kRows rows of a head; "full" counts their bytes. By one thread.
template <class Size, int kRows>
__device__ void fetch(std::uint32_t to, Mbarrier full, const TensorMap& from, int row, int head, int batch) {
  mbarrier_arrive_expect_tx(full, Size::kColumns * 128 * kRows);
  for (int column = 0; column < Size::kColumns; ++column) {
    tma_load(to + column * 128 * kRows, &from.map, full, 64 * column, from.along(0, row, head, batch),
             from.along(1, row, head, batch), from.along(2, row, head, batch));
  }
}

// Fills the rings of buffers, as long as there is room in them. One thread is one.
template <class Size>
struct Producer {
  const TilePlaces<Size>& at;
  const TensorMaps& maps;
  Ring<Size::kQueryStages> q_ring = {};
  Ring<Size::kStages> k_ring = {}, v_ring = {};

  __device__ void fetch_queries(int first_query, int head, int batch) {
    mbarrier_wait(at.q_empty(q_ring.stage), q_ring.parity ^ 1);  // at first they are empty
    fetch<Size, Size::kQueries>(at.q(q_ring.stage), at.q_full(q_ring.stage), maps.q, first_query, head, batch);
    q_ring.advance();
  }
  __device__ void fetch_keys(int tile, int head, int batch) {
    mbarrier_wait(at.k_empty(k_ring.stage), k_ring.parity ^ 1);
    fetch<Size, Size::kKeys>(at.k(k_ring.stage), at.k_full(k_ring.stage), maps.k, tile * Size::kKeys, head, batch);
    k_ring.advance();
  }
  __device__ void fetch_values(int tile, int head, int batch) {
    mbarrier_wait(at.v_empty(v_ring.stage), v_ring.parity ^ 1);
    fetch<Size, Size::kKeys>(at.v(v_ring.stage), at.v_full(v_ring.stage), maps.v, tile * Size::kKeys, head, batch);
    v_ring.advance();
  }

  // All that a piece of work needs: tiles of keys from the last to the first, so that
  // those with closed cells come before all others.
  __device__ void fetch_piece(int first_query, int tiles, int head, int kv_head, int batch) {
    if (tiles == 0) return;
    fetch_keys(tiles - 1, kv_head, batch);
    fetch_queries(first_query, head, batch);
    for (int tile = tiles - 1; tile > 0; --tile) {
      fetch_keys(tile - 1, kv_head, batch);
      fetch_values(tile, kv_head, batch);
    }
    fetch_values(0, kv_head, batch);
  }
};

// --- What a warpgroup does with them ---------------------------------------------------

// One thread of a warp tells for all that a buffer was read. After a wait for wgmma, which is of the whole warp.
inline __device__ void release(Mbarrier empty) {
  if (threadIdx.x % 32 == 0) mbarrier_arrive(empty);
}

// S = Q·Kᵀ for 64 queries.
template <class T, class Size>
__device__ void ask_for_scores(float (&scores)[Size::kKeys / 8][4], std::uint32_t q, std::uint32_t k) {
  const std::uint64_t q_matrix = matrix_descriptor(q, Size::kQueryColumn);
  const std::uint64_t k_matrix = matrix_descriptor(k, Size::kKeyColumn);
  wgmma_hold(scores);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < Size::kWidth / 16; ++step) {  // 16 features, 32 bytes of a row
    const std::uint64_t within = step % 4 * 32;
    Wgmma<T, Size::kKeys>::ss(scores, q_matrix + ((step / 4 * Size::kQueryColumn + within) >> 4),
                              k_matrix + ((step / 4 * Size::kKeyColumn + within) >> 4), step > 0);
  }
  wgmma_commit();
}

// O += P·V.
template <class T, class Size>
__device__ void ask_for_context(float (&context)[Size::kWidth / 8][4],
                                const std::uint32_t (&weights)[Size::kKeys / 16][4], std::uint32_t v) {
  const std::uint64_t v_matrix = matrix_descriptor(v, Size::kKeyColumn);
  wgmma_hold(context);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < Size::kKeys / 16; ++step) {  // 16 keys, 16 rows of 128 bytes
    Wgmma<T, Size::kWidth>::rs(context, weights[step], v_matrix + (step * 16 * 128 >> 4));
  }
  wgmma_commit();
}

// Waits for all that the warpgroup has asked for.
template <int n>
__device__ void wait_for(float (&product)[n][4]) {
  wgmma_wait<0>();
  wgmma_hold(product);
}

// Behind the last valid key may lie anything, and a weight of 0 times that: zeros from
// row `first` on of the values that have arrived. Each warpgroup does it for itself, and meets
// at a barrier of its own; what another one is already reading does not change.
template <class Size>
__device__ void clear_values(std::uint32_t v, int first, int barrier) {
  for (int i = static_cast<int>(threadIdx.x) % 128; i < (Size::kKeys - first) * 8 * Size::kColumns; i += 128) {
    const int row = first + i / 8 % (Size::kKeys - first), column = i / 8 / (Size::kKeys - first);
    store_shared_16(v + column * Size::kKeyColumn + row * 128 + i % 8 * 16, make_uint4(0, 0, 0, 0));
  }
  fence_proxy_async();
  bar_sync(barrier, 128);
}

// The two rows of a thread (fragments.h), among the 64 of its warpgroup, and how many keys they see.
struct MyRows {
  int query, limits[2];

  __device__ MyRows(const Reach& reach, int first_query)
      : query(first_query + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4),
        limits{reach.of(query), reach.of(query + 8)} {}

  // Closes what they do not see of the keys from `first_key` on.
  template <int n>
  __device__ void close(float (&scores)[n][4], int first_key) const {
    const int open[2] = {limits[0] - first_key, limits[1] - first_key};
    close_cells(scores, open, static_cast<int>(threadIdx.x) % 32);
  }

  // Divides the context by the sum of weights, and writes it.
  template <class T, int n>
  __device__ void write(const FusedCall& call, int head, int batch, const TwoRows& rows, float (&context)[n][4]) const {
    float factor[2];
    rows.finish(factor);
    multiply_rows(context, factor);
    T* const row = head_of<T>(call.context, call.context_at, batch, head) + query * call.context_at.row;
    store_rows(row, row + 8 * call.context_at.row, query < call.queries, query + 8 < call.queries, context,
               static_cast<int>(threadIdx.x) % 32);
  }
};

template <int n>
__device__ void set_to_zero(float (&x)[n][4]) {
#pragma unroll
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[j][i] = 0;
  }
}

}  // namespace attn::cuda
