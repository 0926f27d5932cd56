// The first rung for Hopper: its asynchronous tensor cores and copies, each of which
// is waited for at once.
//
// A block is one warpgroup, which works out 64 queries of one head. For each tile of keys
//
//   one thread asks the tensor memory accelerator for K and V; all wait for K
//   S = Q·Kᵀ     wgmma, both from shared memory; all wait
//   P = weights  the online softmax, in registers, in the layout of fragments.h
//   O += P·V     wgmma, P from registers, V transposed by the instruction; all wait
//
// Here is the least that these instructions need to be right: how a tensor is
// described (tensor_map.h), where a tile lies in shared memory, what wgmma is told of
// it (matrix_descriptor), phases of mbarriers, fences. What makes them fast is in
// the next rungs. Nothing is on its way while something is computed, except
// that other blocks are on the same multiprocessor.
//
// Tiles, queries × keys: 64 × 128 for heads of 64 and 128, 64 × 80 for 256.

#include "backend/cuda/fused/hopper/tiles.h"

namespace attn::cuda {
namespace {

template <int kWidth>
using Tile = TileSizes<kWidth, kWidth == 256 ? 80 : 128, 1, 1, 1>;

template <class T, class Size>
__global__ void __launch_bounds__(128) wgmma_attention(const __grid_constant__ FusedCall call, const float scale_log2,
                                                       const __grid_constant__ TensorMaps maps) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC__)  // nothing of this exists elsewhere
  const TilePlaces<Size> at{shared_address(shared_memory())};
  if (threadIdx.x == 0) make_mbarriers(at);
  sync_block();

  const int batch = static_cast<int>(blockIdx.z), head = static_cast<int>(blockIdx.y);
  const int kv_head = head / (call.heads / call.kv_heads);
  // Later queries see more keys of a causal sequence: the longest work first.
  const int first_query = static_cast<int>(gridDim.x - 1 - blockIdx.x) * Size::kQueries;
  const Reach reach = reach_of(call, batch);
  const SeenKeys span = span_of<Size::kQueries>(call, reach, first_query);
  const MyRows mine(reach, first_query);

  TwoRows rows;
  float context[Size::kWidth / 8][4];
  set_to_zero(context);
  const int tiles = ceil_div(span.seen, Size::kKeys);
  unsigned parity = 0;  // of the phase that the keys and values of this tile end
  for (int tile = tiles - 1; tile >= 0; --tile, parity ^= 1) {
    const int first_key = tile * Size::kKeys;
    if (threadIdx.x == 0) {
      if (tile == tiles - 1) fetch<Size, Size::kQueries>(at.q(0), at.q_full(0), maps.q, first_query, head, batch);
      fetch<Size, Size::kKeys>(at.k(0), at.k_full(0), maps.k, first_key, kv_head, batch);
      fetch<Size, Size::kKeys>(at.v(0), at.v_full(0), maps.v, first_key, kv_head, batch);
    }
    sync_warp();
    mbarrier_wait(at.q_full(0), 0);
    mbarrier_wait(at.k_full(0), parity);
    float scores[Size::kKeys / 8][4];
    ask_for_scores<T, Size>(scores, at.q(0), at.k(0));
    wait_for(scores);

    if (first_key + Size::kKeys > span.seen_by_all) mine.close(scores, first_key);
    float rescale[2];
    rows.weights_of(scores, scale_log2, rescale);
    multiply_rows(context, rescale);
    std::uint32_t weights[Size::kKeys / 16][4];
    pack_weights<T>(weights, scores);

    mbarrier_wait(at.v_full(0), parity);
    if (first_key + Size::kKeys > span.seen && span.seen < call.keys) {
      clear_values<Size>(at.v(0), span.seen - first_key, 1);
    }
    ask_for_context<T, Size>(context, weights, at.v(0));
    wait_for(context);
    sync_block();  // all have read keys and values: the next may take their place
  }
  mine.write<T>(call, head, batch, rows, context);
#endif
}

struct Launch {
  template <class T, int kWidth>
  static cudaError_t as(const FusedCall& call, cudaStream_t stream) {
    using Size = Tile<kWidth>;
    TensorMaps maps;
    const cudaError_t error = describe<Size>(&maps, call);
    if (error != cudaSuccess) return error;
    return start(wgmma_attention<T, Size>, blocks_of(call, Size::kQueries), 128, Size::kSharedBytes, stream, call,
                 call.scale * kLog2E, maps);
  }
};

bool supports(const FusedCall& call, int compute_capability) {
  return fits_hopper(call, compute_capability) && fits_grid(call);
}

}  // namespace

const FusedKernel wgmma_kernel = {
    "wgmma", "Hopper's tensor cores (wgmma) and copies (TMA): one warpgroup asks for a thing, and waits for it",
    supports, no_workspace, launch_on_tensor_cores<Launch>};

}  // namespace attn::cuda
