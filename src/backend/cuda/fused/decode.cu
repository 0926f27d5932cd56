// For few queries (decoding a token at a time): all the time goes into reading keys
// and values, so that is what everything here is about.
//
// Query heads that share keys and values are rows of one matrix of 16, so these are
// read once for all of them and tensor cores (mma.sync) do the little arithmetic. The
// keys are split: over blocks, so that there is work for the whole GPU even for
// one sequence (Dao et al. 2023, "Flash-Decoding"), and within a block over its
// warps. A warp goes through its keys 16 at a time and needs nobody else. It has a ring of
// tiles of its own in shared memory, and always all but one of them are on their way
// (cp.async): with two blocks on a multiprocessor 100 KiB or more, which is what hides the latency
// of memory at full bandwidth.
//
// What warps, and then blocks, have found is put together by
//   largest = max m_w,   sum = Σ l_w · 2^(m_w − largest),   context = Σ o_w · 2^(m_w − largest) / sum
// the second time by whichever block of a head is done last.
//
// Shared memory: Q [16][d] where d is 256; for each warp K [16][d] and V [16][d] × stages; in the end the same
// place holds the warps' contexts in f32, [warp][16][d], largest and sum [warp][16].

#include "backend/cuda/fused/fragments.h"
#include "backend/cuda/fused/splits.h"

namespace attn::cuda {
namespace {

template <int kWidth_>
struct Tile {
  static constexpr int kWidth = kWidth_;
  static constexpr int kRows = 16, kKeys = 16;
  static constexpr int kWarps = kWidth == 256 ? 2 : 4;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kTileBytes = kKeys * kWidth * 2;
  static constexpr int kStages = kWidth == 64 ? 6 : kWidth == 128 ? 3 : 2;
  static constexpr int kWarpBytes = kStages * 2 * kTileBytes;
  // Queries of 256 features would fill the registers that the context needs.
  static constexpr bool kQueriesInRegisters = kWidth <= 128;
  static constexpr int kQueryBytes = kQueriesInRegisters ? 0 : kRows * kWidth * 2;
  static constexpr int kSharedBytes = kQueryBytes + kWarps * kWarpBytes;
  // The parts of a context that are put together, in the end.
  static constexpr int kPartNumbers = kRows * (kWidth + 2);
  static_assert(4 * kWarps * kPartNumbers <= kSharedBytes);
};

// The workspace: counters of blocks that are done, one a group of rows, then parts [group][split].
constexpr int kCounters = 4096;

struct Split {
  int groups;  // of 16 rows, of one pair of keys and values
  int splits;
};

// A part of a context: rows relative to their largest score, in powers of 2.
template <int kWidth>
struct Part {
  float* numbers;
  __device__ float& context(int row, int column) const { return numbers[row * kWidth + column]; }
  __device__ float& largest(int row) const { return numbers[Tile<kWidth>::kRows * kWidth + row]; }
  __device__ float& sum(int row) const { return numbers[Tile<kWidth>::kRows * (kWidth + 1) + row]; }
};

// Puts parts together, two columns of one row; gives back what they come to.
struct Together {
  float largest = -INFINITY, sum = 0, context[2] = {0, 0};
};

template <int kWidth>
__device__ Together put_together(float* parts, int count, int row, int column) {
  Together all;
  for (int i = 0; i < count; ++i) {
    all.largest = fmaxf(all.largest, Part<kWidth>{parts + i * Tile<kWidth>::kPartNumbers}.largest(row));
  }
  if (all.largest == -INFINITY) return all;  // no open key anywhere
  for (int i = 0; i < count; ++i) {
    const Part<kWidth> part{parts + i * Tile<kWidth>::kPartNumbers};
    const float factor = ex2_approx(part.largest(row) - all.largest);
    all.sum += part.sum(row) * factor;
    all.context[0] += part.context(row, column) * factor;
    all.context[1] += part.context(row, column + 1) * factor;
  }
  return all;
}

// Starts to copy 16 rows to the warp's shared memory; zeros past the last.
template <class T, int kWidth>
__device__ void bring(std::uint32_t to, const T* head, std::int64_t row_stride, int first, int rows, int lane) {
  constexpr int kChunks = kWidth / 8, kRowsAtOnce = 32 / kChunks;
  const int row = lane / kChunks, chunk = lane % kChunks;
  const T* from = head + (first + row) * row_stride + 8 * chunk;
#pragma unroll
  for (int i = 0; i < 16; i += kRowsAtOnce) {
    cp_async_16(to + swizzled<kWidth>(row + i, chunk), from, first + row + i < rows);
    from += kRowsAtOnce * row_stride;
  }
}

template <class T, int kWidth>
__global__ void __launch_bounds__(Tile<kWidth>::kThreads)
    decode_attention(const FusedCall call, const float scale_log2, const Split split) {
  using Size = Tile<kWidth>;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int batch = static_cast<int>(blockIdx.z);
  const int kv_head = static_cast<int>(blockIdx.y) / split.groups;
  const int first_row = static_cast<int>(blockIdx.y) % split.groups * Size::kRows;

  // Row r is query r / sharing of head kv_head · sharing + r % sharing.
  const int sharing = call.heads / call.kv_heads;
  const int rows_here = min(Size::kRows, call.queries * sharing - first_row);
  const auto query_of = [&](int row) { return (first_row + min(row, rows_here - 1)) / sharing; };
  const auto head_of_row = [&](int row) { return kv_head * sharing + (first_row + min(row, rows_here - 1)) % sharing; };

  const Reach reach = reach_of(call, batch);
  const int limits[2] = {reach.of(query_of(lane / 4)), reach.of(query_of(lane / 4 + 8))};
  const int keys_seen = reach.of(query_of(Size::kRows - 1)), keys_of_all = reach.of(query_of(0));
  const T* const k = head_of<T>(call.k, call.k_at, batch, kv_head);
  const T* const v = head_of<T>(call.v, call.v_at, batch, kv_head);

  // Tiles of 16 keys: those of the block, of which every kWarps-th is the warp's.
  const int of_block = ceil_div(ceil_div(keys_seen, Size::kKeys), split.splits);
  const int first_tile = static_cast<int>(blockIdx.x) * of_block;
  const int last_tile = min(first_tile + of_block, ceil_div(keys_seen, Size::kKeys));
  const int tiles = max(0, ceil_div(last_tile - first_tile - warp, Size::kWarps));
  const auto first_key_of = [&](int tile) { return (first_tile + warp + tile * Size::kWarps) * Size::kKeys; };

  const std::uint32_t q_tile = shared_address(shared_memory());
  const std::uint32_t ring = q_tile + Size::kQueryBytes + warp * Size::kWarpBytes;
  const auto fetch = [&](int tile) {
    const std::uint32_t at = ring + tile % Size::kStages * 2 * Size::kTileBytes;
    if (tile < tiles) {
      bring<T, kWidth>(at, k, call.k_at.row, first_key_of(tile), keys_seen, lane);
      bring<T, kWidth>(at + Size::kTileBytes, v, call.v_at.row, first_key_of(tile), keys_seen, lane);
    }
    cp_async_commit();  // also an empty group: what is waited for is counted in groups
  };
  // The left operand of the products: straight from memory to registers, or by way of shared memory.
  std::uint32_t q[Size::kQueriesInRegisters ? kWidth / 16 : 1][4];
  const auto row_of_q = [&](int row) {
    return head_of<T>(call.q, call.q_at, batch, head_of_row(row)) + query_of(row) * call.q_at.row;
  };
  if constexpr (Size::kQueriesInRegisters) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const T* const from = row_of_q(lane / 4 + i % 2 * 8) + 2 * (lane % 4) + i / 2 * 8;
#pragma unroll
      for (int step = 0; step < kWidth / 16; ++step) {
        q[step][i] = *reinterpret_cast<const std::uint32_t*>(from + 16 * step);
      }
    }
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < Size::kRows * kWidth / 8; i += Size::kThreads) {
      const int row = i / (kWidth / 8), chunk = i % (kWidth / 8);
      cp_async_16(q_tile + swizzled<kWidth>(row, chunk), row_of_q(row) + 8 * chunk, true);
    }
    cp_async_commit();
    cp_async_wait<0>();
    sync_block();
  }
  const std::uint32_t q_lane = q_tile + swizzled<kWidth>(lane % 16, lane / 16);

  for (int tile = 0; tile < Size::kStages - 1; ++tile) fetch(tile);

  TwoRows rows;
  float context[kWidth / 8][4] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    cp_async_wait<Size::kStages - 2>();
    sync_warp();  // the tile is there, and all lanes are done with the one before
    fetch(tile + Size::kStages - 1);
    const std::uint32_t k_tile = ring + tile % Size::kStages * 2 * Size::kTileBytes, v_tile = k_tile + Size::kTileBytes;
    const std::uint32_t k_lane = k_tile + swizzled<kWidth>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
    const std::uint32_t v_lane = v_tile + swizzled<kWidth>(lane % 16, lane / 16);

    float scores[2][4] = {};
#pragma unroll
    for (int step = 0; step < kWidth / 16; ++step) {
      std::uint32_t b[4];
      ldmatrix_x4(b, k_lane ^ (32u * step));
      if constexpr (!Size::kQueriesInRegisters) ldmatrix_x4(q[0], q_lane ^ (32u * step));
      const std::uint32_t(&a)[4] = q[Size::kQueriesInRegisters ? step : 0];
      mma_m16n8k16<T>(scores[0], a, b[0], b[1]);
      mma_m16n8k16<T>(scores[1], a, b[2], b[3]);
    }
    const int first_key = first_key_of(tile);
    if (first_key + Size::kKeys > keys_of_all) {
      const int open[2] = {limits[0] - first_key, limits[1] - first_key};
      close_cells(scores, open, lane);
    }
    float rescale[2];
    rows.weights_of(scores, scale_log2, rescale);
    multiply_rows(context, rescale);
    std::uint32_t weights[1][4];
    pack_weights<T>(weights, scores);
#pragma unroll
    for (int pair = 0; pair < kWidth / 16; ++pair) {
      std::uint32_t b[4];
      ldmatrix_x4_trans(b, v_lane ^ (32u * pair));
      mma_m16n8k16<T>(context[2 * pair], weights[0], b[0], b[1]);
      mma_m16n8k16<T>(context[2 * pair + 1], weights[0], b[2], b[3]);
    }
  }

  // Each warp's part to shared memory, in place of the tiles.
  cp_async_wait<0>();
  sync_block();
  float* const parts = reinterpret_cast<float*>(shared_memory());
  const Part<kWidth> mine{parts + warp * Size::kPartNumbers};
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = lane / 4 + 8 * r;
#pragma unroll
    for (int j = 0; j < kWidth / 8; ++j) {
      mine.context(row, 8 * j + 2 * (lane % 4)) = context[j][2 * r];
      mine.context(row, 8 * j + 2 * (lane % 4) + 1) = context[j][2 * r + 1];
    }
    const float sum = rows.sum_of_row(r);
    if (lane % 4 == 0) {
      mine.largest(row) = rows.largest[r] * scale_log2;
      mine.sum(row) = sum;
    }
  }
  sync_block();

  // Then the block's to the workspace, and of all blocks of these rows the last puts all together.
  const int group = static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y);
  float* const all_parts = reinterpret_cast<float*>(static_cast<unsigned*>(call.workspace) + kCounters) +
                           static_cast<std::int64_t>(group) * split.splits * Size::kPartNumbers;
  if (split.splits > 1) {
    const Part<kWidth> of_block_part{all_parts + static_cast<int>(blockIdx.x) * Size::kPartNumbers};
    for (int i = static_cast<int>(threadIdx.x); i < rows_here * kWidth / 2; i += Size::kThreads) {
      const int row = i / (kWidth / 2), column = i % (kWidth / 2) * 2;
      const Together all = put_together<kWidth>(parts, Size::kWarps, row, column);
      of_block_part.context(row, column) = all.context[0];
      of_block_part.context(row, column + 1) = all.context[1];
      if (column == 0) {
        of_block_part.largest(row) = all.largest;
        of_block_part.sum(row) = all.sum;
      }
    }
    fence_device();
    sync_block();
    unsigned* const done = reinterpret_cast<unsigned*>(shared_memory());
    if (threadIdx.x == 0) {
      *done = atomic_count(static_cast<unsigned*>(call.workspace) + group, static_cast<unsigned>(split.splits) - 1);
    }
    sync_block();
    if (*done + 1 != static_cast<unsigned>(split.splits)) return;
    fence_device();
  }
  for (int i = static_cast<int>(threadIdx.x); i < rows_here * kWidth / 2; i += Size::kThreads) {
    const int row = i / (kWidth / 2), column = i % (kWidth / 2) * 2;
    const Together all = split.splits > 1 ? put_together<kWidth>(all_parts, split.splits, row, column)
                                          : put_together<kWidth>(parts, Size::kWarps, row, column);
    const float factor = all.sum == 0 ? 0 : 1 / all.sum;
    T* const out =
        head_of<T>(call.context, call.context_at, batch, head_of_row(row)) + query_of(row) * call.context_at.row;
    *reinterpret_cast<std::uint32_t*>(out + column) = packed<T>(all.context[0] * factor, all.context[1] * factor);
  }
}

// How many blocks run at the same time. Shared memory is what they have least of, and
// a block takes 1 KiB of it more than it asks for.
template <int kWidth>
int slots() {
  int device = 0, multiprocessors = 0, shared_bytes = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device) != cudaSuccess) {
    return 1;
  }
  return multiprocessors * max(1, shared_bytes / (Tile<kWidth>::kSharedBytes + 1024));
}

template <int kWidth>
Split split_as(const FusedCall& call) {
  using Size = Tile<kWidth>;
  const int groups = ceil_div(call.queries * (call.heads / call.kv_heads), Size::kRows);
  const int blocks = call.batch * call.kv_heads * groups;
  if (blocks > kCounters) return {groups, 1};
  return {groups, splits_of(blocks, ceil_div(call.keys, Size::kKeys * Size::kWarps), slots<kWidth>())};
}

Split split_of(const FusedCall& call) {
  return call.key_width == 64 ? split_as<64>(call) : call.key_width == 128 ? split_as<128>(call) : split_as<256>(call);
}

std::size_t workspace(const FusedCall& call) {
  const Split split = split_of(call);
  if (split.splits == 1) return 0;
  const std::size_t parts =
      static_cast<std::size_t>(call.batch) * call.kv_heads * split.groups * split.splits * 16 * (call.key_width + 2);
  return kCounters * sizeof(unsigned) + parts * sizeof(float);
}

struct Launch {
  template <class T, int kWidth>
  static cudaError_t as(const FusedCall& call, cudaStream_t stream) {
    const Split split = split_of(call);
    const dim3 blocks(static_cast<unsigned>(split.splits), static_cast<unsigned>(call.kv_heads * split.groups),
                      static_cast<unsigned>(call.batch));
    return start(decode_attention<T, kWidth>, blocks, Tile<kWidth>::kThreads, Tile<kWidth>::kSharedBytes, stream, call,
                 call.scale * kLog2E, split);
  }
};

bool supports(const FusedCall& call, int compute_capability) {
  const int rows = call.queries * (call.heads / call.kv_heads);
  return compute_capability >= 80 && fits_tensor_cores(call) && fits_grid(call) && call.queries <= 16 && rows <= 64;
}

}  // namespace

const FusedKernel decode_kernel = {
    "decode",
    "for few queries: the keys split over all blocks and put together at the end; heads that share keys read them once",
    supports, workspace, launch_on_tensor_cores<Launch>};

}  // namespace attn::cuda
