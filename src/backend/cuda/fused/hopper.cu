// For Hopper: asynchronous tensor cores and copies, as FlashAttention-3 uses them
// (Shah et al. 2024, algorithms 1 and 2).
//
// A block has one warpgroup that fetches and two or three that compute.
//
//   producer    one thread of the first warpgroup asks the tensor memory accelerator
//               for tiles of Q, K and V, as long as there is room for them. The others sleep.
//               The warpgroup gives its registers to the others (setmaxnreg).
//   consumers   have 64 queries each. For each tile of keys
//                 S = Q·Kᵀ     wgmma, both from shared memory
//                 P = weights  the online softmax, in registers
//                 O += P·V     wgmma, P from registers, V transposed by the instruction
//
// Exponentials are slow (16 a clock, where tensor cores do 4096 operations), so two
// things keep the tensor cores busy meanwhile:
//   within a warpgroup   S of the next tile is asked for before O += P·V of this one, and
//                        its softmax runs while P·V does
//   between warpgroups   they take turns (ping-pong): a warpgroup asks for its products
//                        and passes the turn on, so that one is at its softmax while
//                        another is at its products
//
// Tiles, queries × keys: 192 × 128 for heads of 64, 128 × 176 for 128 (128 × 128
// causal: less of a tile on the diagonal is for nothing), 128 × 80 for 256. They are
// as large as registers (O, S and P of a thread) and shared memory let them be.
//
// Shared memory, each tile as [d / 64][rows][64] with the 128-byte swizzle that
// accelerator and wgmma agree on (ptx_hopper.h):
//
//   Q [queries][d]   K [keys][d] × stages   V [keys][d] × stages   mbarriers
//
// A buffer has two mbarriers: "full", at which the accelerator counts bytes, and
// "empty", at which each consumer warp arrives when it has read it.
//
// A block stays for several pieces of work, so that the first keys of the next are
// fetched while the last context is written.

#include <type_traits>

#include "backend/cuda/fused/fragments.h"
#include "backend/cuda/fused/ptx_hopper.h"
#include "backend/cuda/fused/schedule.h"
#include "backend/cuda/fused/tensor_map.h"

namespace attn::cuda {
namespace {

template <int kWidth_, int kKeys_>
struct Tile {
  static constexpr int kWidth = kWidth_, kKeys = kKeys_;
  static constexpr int kConsumers = kWidth == 64 ? 3 : 2;
  static constexpr int kQueries = 64 * kConsumers;
  static constexpr int kThreads = 128 * (1 + kConsumers);
  // Of keys and of values. Heads of 64 have a third group of consumers, and room:
  // with two, values come back too late for the group whose turn is next.
  static constexpr int kStages = kWidth == 64 ? 4 : 2;
  static constexpr bool kTurns = kWidth <= 128;  // heads of 256 leave the softmax little to do

  // 64 Ki registers for the block: 128 · (producer + consumers).
  static constexpr int kProducerRegisters = kConsumers == 3 ? 32 : 24;
  static constexpr int kConsumerRegisters = kConsumers == 3 ? 160 : 240;

  static constexpr int kColumns = kWidth / 64;                                   // boxes of 64 features
  static constexpr int kQueryColumn = 128 * kQueries, kKeyColumn = 128 * kKeys;  // bytes
  static constexpr int kQueryBytes = kColumns * kQueryColumn, kKeyBytes = kColumns * kKeyColumn;
  static constexpr int kBarriers = kQueryBytes + 2 * kStages * kKeyBytes;  // where they begin
  static constexpr int kSharedBytes = kBarriers + 8 * (2 + 4 * kStages);
};

// Where things are in shared memory.
template <class Size>
struct Places {
  std::uint32_t start;

  __device__ std::uint32_t q() const { return start; }
  __device__ std::uint32_t k(int stage) const { return start + Size::kQueryBytes + stage * Size::kKeyBytes; }
  __device__ std::uint32_t v(int stage) const { return k(Size::kStages + stage); }

  __device__ std::uint32_t q_full() const { return start + Size::kBarriers; }
  __device__ std::uint32_t q_empty() const { return q_full() + 8; }
  __device__ std::uint32_t k_full(int stage) const { return q_full() + 16 + 8 * stage; }
  __device__ std::uint32_t k_empty(int stage) const { return k_full(Size::kStages + stage); }
  __device__ std::uint32_t v_full(int stage) const { return k_full(2 * Size::kStages + stage); }
  __device__ std::uint32_t v_empty(int stage) const { return k_full(3 * Size::kStages + stage); }
};

template <class Size>
__device__ void produce(const FusedCall& call, const Schedule& schedule, const Places<Size>& at,
                        const CUtensorMap* q_map, const CUtensorMap* k_map, const CUtensorMap* v_map) {
  Ring<1> q_ring;
  Ring<Size::kStages> k_ring, v_ring;
  const auto fetch = [](std::uint32_t to, std::uint32_t full, const CUtensorMap* map, int rows, int row, int head,
                        int batch) {
    mbarrier_arrive_expect_tx(full, Size::kColumns * 128 * rows);
    for (int column = 0; column < Size::kColumns; ++column) {
      tma_load(to + column * 128 * rows, map, full, 64 * column, row, head, batch);
    }
  };
  const auto fetch_keys = [&](int tile, int head, int batch) {
    mbarrier_wait(at.k_empty(k_ring.stage), k_ring.parity ^ 1);  // at first they are empty
    fetch(at.k(k_ring.stage), at.k_full(k_ring.stage), k_map, Size::kKeys, tile * Size::kKeys, head, batch);
    k_ring.advance();
  };
  const auto fetch_values = [&](int tile, int head, int batch) {
    mbarrier_wait(at.v_empty(v_ring.stage), v_ring.parity ^ 1);
    fetch(at.v(v_ring.stage), at.v_full(v_ring.stage), v_map, Size::kKeys, tile * Size::kKeys, head, batch);
    v_ring.advance();
  };

  MyPieces pieces;
  for (int index = pieces.next(); index < schedule.heads * schedule.pieces_of_head; index = pieces.next()) {
    const PieceOfWork piece = piece_of<Size::kQueries>(call, schedule, index);
    const int kv_head = piece.head / (call.heads / call.kv_heads);
    const SeenKeys span = span_of<Size::kQueries>(call, reach_of(call, piece.batch), piece.first_query);
    const int tiles = ceil_div(span.seen, Size::kKeys);
    if (tiles == 0) continue;

    fetch_keys(tiles - 1, kv_head, piece.batch);
    mbarrier_wait(at.q_empty(), q_ring.parity ^ 1);
    fetch(at.q(), at.q_full(), q_map, Size::kQueries, piece.first_query, piece.head, piece.batch);
    q_ring.advance();
    for (int tile = tiles - 1; tile > 0; --tile) {
      fetch_keys(tile - 1, kv_head, piece.batch);
      fetch_values(tile, kv_head, piece.batch);
    }
    fetch_values(0, kv_head, piece.batch);
  }
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

// Zeros from row `first` on of the values that have arrived. Each warpgroup does it
// for itself; what another one is already reading does not change.
template <class Size>
__device__ void clear_values(unsigned char* v, int first, int group) {
  for (int i = static_cast<int>(threadIdx.x) % 128; i < (Size::kKeys - first) * 8 * Size::kColumns; i += 128) {
    const int row = first + i / 8 % (Size::kKeys - first), column = i / 8 / (Size::kKeys - first);
    *reinterpret_cast<uint4*>(v + column * Size::kKeyColumn + row * 128 + i % 8 * 16) = make_uint4(0, 0, 0, 0);
  }
  fence_proxy_async();
  bar_sync(1 + Size::kConsumers + group, 128);
}

template <class T, class Size>
__device__ void consume(const FusedCall& call, const float scale_log2, const Schedule& schedule, const Places<Size>& at,
                        const int group) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t q = at.q() + group * 64 * 128;  // the warpgroup's rows, in each column
  const auto release = [lane](std::uint32_t empty) {
    if (lane == 0) mbarrier_arrive(empty);
  };
  // Barrier 1 + g opens when warpgroup g waits and the one before it has passed the turn on.
  const auto take_turn = [](int mine) {
    if constexpr (Size::kTurns) bar_sync(1 + mine, 256);
  };
  const auto pass_turn = [](int to) {
    if constexpr (Size::kTurns) bar_arrive(1 + to, 256);
  };
  const int next_group = group + 1 == Size::kConsumers ? 0 : group + 1;
  if (next_group == 0) pass_turn(0);

  Ring<1> q_ring;
  Ring<Size::kStages> k_ring, v_ring;
  MyPieces pieces;
  for (int index = pieces.next(); index < schedule.heads * schedule.pieces_of_head; index = pieces.next()) {
    const PieceOfWork piece = piece_of<Size::kQueries>(call, schedule, index);
    const Reach reach = reach_of(call, piece.batch);
    const SeenKeys span = span_of<Size::kQueries>(call, reach, piece.first_query);
    const int query = piece.first_query + group * 64 + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane / 4;
    const int limits[2] = {reach.of(query), reach.of(query + 8)};

    TwoRows rows;
    float context[Size::kWidth / 8][4];
#pragma unroll
    for (int j = 0; j < Size::kWidth / 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) context[j][i] = 0;
    }
    int tile = ceil_div(span.seen, Size::kKeys) - 1;
    if (tile >= 0) {
      float scores[Size::kKeys / 8][4];
      std::uint32_t weights[Size::kKeys / 16][4];
      float rescale[2];
      const auto close = [&](int of_tile) {
        const int open[2] = {limits[0] - of_tile * Size::kKeys, limits[1] - of_tile * Size::kKeys};
        close_cells(scores, open, lane);
      };

      // The weights of the last tile.
      mbarrier_wait(at.q_full(), q_ring.parity);
      mbarrier_wait(at.k_full(k_ring.stage), k_ring.parity);
      ask_for_scores<T, Size>(scores, q, at.k(k_ring.stage));
      wgmma_wait<0>();
      wgmma_hold(scores);
      release(at.k_empty(k_ring.stage));
      k_ring.advance();
      close(tile);
      rows.weights_of(scores, scale_log2, rescale);
      pack_weights<T>(weights, scores);

      if (const int valid = span.seen - tile * Size::kKeys; valid < Size::kKeys && span.seen < call.keys) {
        // Behind the last valid key may lie anything, and a weight of 0 times that.
        mbarrier_wait(at.v_full(v_ring.stage), v_ring.parity);
        clear_values<Size>(shared_memory() + (at.v(v_ring.stage) - at.start), valid, group);
      }
      if (tile > 0) mbarrier_wait(at.k_full(k_ring.stage), k_ring.parity);

      // From here on there are always weights that have not met their values: the
      // scores of the next tile are asked for, then the context of this one, and
      // while that is computed, the scores become weights.
      const auto step = [&](auto some_closed) {
        take_turn(group);
        ask_for_scores<T, Size>(scores, q, at.k(k_ring.stage));
        mbarrier_wait(at.v_full(v_ring.stage), v_ring.parity);
        ask_for_context<T, Size>(context, weights, at.v(v_ring.stage));
        pass_turn(next_group);

        wgmma_wait<1>();  // the scores are there
        wgmma_hold(scores);
        release(at.k_empty(k_ring.stage));
        k_ring.advance();
        if (some_closed.value) close(tile);
        rows.weights_of(scores, scale_log2, rescale);
        wgmma_hold(scores);
        // The next keys should be there by now. That this stands here also keeps the
        // compiler from waiting for the context before the exponentials.
        if (tile > 0) mbarrier_wait(at.k_full(k_ring.stage), k_ring.parity);

        wgmma_wait<0>();  // the context is there
        wgmma_hold(context);
        release(at.v_empty(v_ring.stage));
        v_ring.advance();
        multiply_rows(context, rescale);
        pack_weights<T>(weights, scores);
      };
      for (--tile; tile >= 0 && (tile + 1) * Size::kKeys > span.seen_by_all; --tile) step(std::true_type{});
      for (; tile >= 0; --tile) step(std::false_type{});

      release(at.q_empty());
      q_ring.advance();
      mbarrier_wait(at.v_full(v_ring.stage), v_ring.parity);
      ask_for_context<T, Size>(context, weights, at.v(v_ring.stage));
      wgmma_wait<0>();
      wgmma_hold(context);
      release(at.v_empty(v_ring.stage));
      v_ring.advance();
    }

    float factor[2];
    rows.finish(factor);
    multiply_rows(context, factor);
    T* const row = head_of<T>(call.context, call.context_at, piece.batch, piece.head) + query * call.context_at.row;
    store_rows(row, row + 8 * call.context_at.row, query < call.queries, query + 8 < call.queries, context, lane);
  }
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::kThreads, 1)
    hopper_attention(const __grid_constant__ FusedCall call, const float scale_log2,
                     const __grid_constant__ Schedule schedule, const __grid_constant__ CUtensorMap q_map,
                     const __grid_constant__ CUtensorMap k_map, const __grid_constant__ CUtensorMap v_map) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC__)  // nothing of this exists elsewhere
  const Places<Size> at{shared_address(shared_memory())};
  if (threadIdx.x == 0) {
    prefetch_tensormap(&q_map);
    prefetch_tensormap(&k_map);
    prefetch_tensormap(&v_map);
    constexpr int kConsumerWarps = 4 * Size::kConsumers;
    mbarrier_init(at.q_full(), 1);
    mbarrier_init(at.q_empty(), kConsumerWarps);
    for (int stage = 0; stage < Size::kStages; ++stage) {
      mbarrier_init(at.k_full(stage), 1);
      mbarrier_init(at.v_full(stage), 1);
      mbarrier_init(at.k_empty(stage), kConsumerWarps);
      mbarrier_init(at.v_empty(stage), kConsumerWarps);
    }
    fence_mbarrier_init();
  }
  sync_block();

  const int warpgroup = uniform(static_cast<int>(threadIdx.x) / 128);
  if (warpgroup == 0) {
    setmaxnreg_dec<Size::kProducerRegisters>();
    if (threadIdx.x == 0) produce<Size>(call, schedule, at, &q_map, &k_map, &v_map);
  } else {
    setmaxnreg_inc<Size::kConsumerRegisters>();
    consume<T, Size>(call, scale_log2, schedule, at, warpgroup - 1);
  }
#endif
}

template <class T, class Size>
cudaError_t launch_as(const FusedCall& call, cudaStream_t stream) {
  CUtensorMap q_map, k_map, v_map;
  cudaError_t error = describe(&q_map, call.q, call.dtype, call.q_at, call.batch, call.heads, call.queries,
                               call.key_width, Size::kQueries);
  if (error == cudaSuccess) {
    error = describe(&k_map, call.k, call.dtype, call.k_at, call.batch, call.kv_heads, call.keys, call.key_width,
                     Size::kKeys);
  }
  if (error == cudaSuccess) {
    error = describe(&v_map, call.v, call.dtype, call.v_at, call.batch, call.kv_heads, call.keys, call.value_width,
                     Size::kKeys);
  }
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;

  Schedule schedule{ceil_div(call.queries, Size::kQueries), call.batch * call.heads, 1};
  if (call.causal) {
    constexpr std::int64_t kCache = std::int64_t{24} << 20;  // bytes, well within the 50 MB of an H100
    const std::int64_t of_head = std::int64_t{4} * call.keys * call.key_width * call.kv_heads / call.heads;
    schedule.heads_at_once = static_cast<int>(
        min(max(kCache / max(of_head, std::int64_t{1}), std::int64_t{1}), static_cast<std::int64_t>(schedule.heads)));
  }
  const int blocks = min(multiprocessors, schedule.heads * schedule.pieces_of_head);
  return start(hopper_attention<T, Size>, dim3(static_cast<unsigned>(blocks)), Size::kThreads, Size::kSharedBytes,
               stream, call, call.scale * kLog2E, schedule, q_map, k_map, v_map);
}

template <class T>
cudaError_t launch_width(const FusedCall& call, cudaStream_t stream) {
  if (call.key_width == 64) return launch_as<T, Tile<64, 128>>(call, stream);
  if (call.key_width == 256) return launch_as<T, Tile<256, 80>>(call, stream);
  return call.causal ? launch_as<T, Tile<128, 128>>(call, stream) : launch_as<T, Tile<128, 176>>(call, stream);
}

// Strides of 0 (one sequence for all) cannot be described to the accelerator.
bool describable(const FusedCall& call, const FusedStrides& at, int heads) {
  return at.row > 0 && (heads == 1 || at.head > 0) && (call.batch == 1 || at.batch > 0);
}

bool supports(const FusedCall& call, int compute_capability) {
  return compute_capability == 90 && fits_tensor_cores(call) && describable(call, call.q_at, call.heads) &&
         describable(call, call.k_at, call.kv_heads) && describable(call, call.v_at, call.kv_heads);
}

cudaError_t launch(const FusedCall& call, cudaStream_t stream) {
  return call.dtype == Dtype::bf16 ? launch_width<Bf16>(call, stream) : launch_width<F16>(call, stream);
}

}  // namespace

const FusedKernel hopper_kernel = {
    "hopper", "a warpgroup fetches (TMA), two or three multiply (wgmma) while they exponentiate, and take turns",
    supports, no_workspace, launch};

}  // namespace attn::cuda
