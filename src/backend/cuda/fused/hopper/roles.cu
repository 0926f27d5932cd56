// The second rung for Hopper: warpgroups have roles. One fetches, as far ahead as
// there are buffers; two or three compute, and never wait for memory but at the start.
//
//   producer    one thread of the first warpgroup asks the tensor memory accelerator
//               for tiles of Q, K and V, as long as there is room for them. The others sleep.
//               The warpgroup gives its registers to the others (setmaxnreg).
//   consumers   have 64 queries each. For each tile of keys
//                 S = Q·Kᵀ     wgmma, both from shared memory
//                 P = weights  the online softmax, in registers
//                 O += P·V     wgmma, P from registers, V transposed by the instruction
//               and wait for each of the products.
//
// What is new besides wgmma.cu are rings of buffers, filled and emptied with two mbarriers
// each (TilePlaces), and the registers that change hands. While a warpgroup is at its softmax
// it asks nothing of the tensor cores; that another one does just then is left to
// chance.
//
// Tiles, queries × keys: 192 × 128 for heads of 64, 128 × 128 for 128, 128 × 80 for
// 256. A block has one piece of work.

#include "backend/cuda/fused/hopper/tiles.h"

namespace attn::cuda {
namespace {

template <int kWidth>
struct Tile : TileSizes<kWidth, kWidth == 256 ? 80 : 128, kWidth == 64 ? 3 : 2, 1, 2> {
  static constexpr int kThreads = 128 * (1 + Tile::kGroups);
  // 64 Ki registers for the block: 128 · (producer + consumers).
  static constexpr int kProducerRegisters = Tile::kGroups == 3 ? 32 : 24;
  static constexpr int kConsumerRegisters = Tile::kGroups == 3 ? 160 : 240;
};

template <class T, class Size>
__device__ void consume(const FusedCall& call, const float scale_log2, const TilePlaces<Size>& at, int first_query,
                        int head, int batch, const int group) {
  const Reach reach = reach_of(call, batch);
  const SeenKeys span = span_of<Size::kQueries>(call, reach, first_query);
  const MyRows mine(reach, first_query + group * 64);
  const std::uint32_t q = at.q(0) + group * 64 * 128;  // the warpgroup's rows, in each column

  TwoRows rows;
  float context[Size::kWidth / 8][4];
  set_to_zero(context);
  Ring<Size::kStages> ring;  // keys and values come in the same order
  const int tiles = ceil_div(span.seen, Size::kKeys);
  if (tiles > 0) mbarrier_wait(at.q_full(0), 0);
  for (int tile = tiles - 1; tile >= 0; --tile, ring.advance()) {
    const int first_key = tile * Size::kKeys;
    mbarrier_wait(at.k_full(ring.stage), ring.parity);
    float scores[Size::kKeys / 8][4];
    ask_for_scores<T, Size>(scores, q, at.k(ring.stage));
    wait_for(scores);
    release(at.k_empty(ring.stage));

    if (first_key + Size::kKeys > span.seen_by_all) mine.close(scores, first_key);
    float rescale[2];
    rows.weights_of(scores, scale_log2, rescale);
    multiply_rows(context, rescale);
    std::uint32_t weights[Size::kKeys / 16][4];
    pack_weights<T>(weights, scores);

    mbarrier_wait(at.v_full(ring.stage), ring.parity);
    if (first_key + Size::kKeys > span.seen && span.seen < call.keys) {
      clear_values<Size>(at.v(ring.stage), span.seen - first_key, 1 + group);
    }
    ask_for_context<T, Size>(context, weights, at.v(ring.stage));
    wait_for(context);
    release(at.v_empty(ring.stage));
  }
  mine.write<T>(call, head, batch, rows, context);
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::kThreads, 1)
    roles_attention(const __grid_constant__ FusedCall call, const float scale_log2,
                    const __grid_constant__ TensorMaps maps) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC__)  // nothing of this exists elsewhere
  const TilePlaces<Size> at{shared_address(shared_memory())};
  if (threadIdx.x == 0) make_mbarriers(at);
  sync_block();

  const int batch = static_cast<int>(blockIdx.z), head = static_cast<int>(blockIdx.y);
  // Later queries see more keys of a causal sequence: the longest work first.
  const int first_query = static_cast<int>(gridDim.x - 1 - blockIdx.x) * Size::kQueries;
  const int warpgroup = uniform(static_cast<int>(threadIdx.x) / 128);
  if (warpgroup == 0) {
    setmaxnreg_dec<Size::kProducerRegisters>();
    if (uniform(static_cast<int>(threadIdx.x) / 32) != 0 || !elect_one()) return;
    const SeenKeys span = span_of<Size::kQueries>(call, reach_of(call, batch), first_query);
    Producer<Size> producer{at, maps};
    producer.fetch_piece(first_query, ceil_div(span.seen, Size::kKeys), head, head / (call.heads / call.kv_heads),
                         batch);
  } else {
    setmaxnreg_inc<Size::kConsumerRegisters>();
    consume<T, Size>(call, scale_log2, at, first_query, head, batch, warpgroup - 1);
  }
#endif
}

struct Launch {
  template <class T, int kWidth>
  static cudaError_t as(const FusedCall& call, cudaStream_t stream) {
    using Size = Tile<kWidth>;
    TensorMaps maps;
    const cudaError_t error = describe<Size>(&maps, call);
    if (error != cudaSuccess) return error;
    return start(roles_attention<T, Size>, blocks_of(call, Size::kQueries), Size::kThreads, Size::kSharedBytes, stream,
                 call, call.scale * kLog2E, maps);
  }
};

bool supports(const FusedCall& call, int compute_capability) {
  return fits_hopper(call, compute_capability) && fits_grid(call);
}

}  // namespace

const FusedKernel roles_kernel = {
    "roles",
    "one warpgroup fetches, as far ahead as there are buffers; two or three compute, and wait for each product",
    supports, no_workspace, launch_on_tensor_cores<Launch>};

}  // namespace attn::cuda
