// The last rung for Hopper: asynchronous tensor cores and copies, as FlashAttention-3
// uses them (Shah et al. 2024, algorithms 1 and 2), and no warpgroup waits for what
// another could do meanwhile.
//
// A block has one warpgroup that fetches and two or three that compute (roles.cu).
// Exponentials are slow (16 a clock, where tensor cores do 4096 operations), so two
// things keep the tensor cores busy meanwhile:
//   within a warpgroup   S of the next tile is asked for before O += P·V of this one, and
//                        its softmax runs while P·V does
//   between warpgroups   they take turns (ping-pong): a warpgroup asks for its products
//                        and passes the turn on, so that one is at its softmax while
//                        another is at its products
//
// A block stays for several pieces of work, so that what the next needs first is fetched while the
// last context is written. The producer takes a piece (schedule.h), tells the
// consumers its number through shared memory, and asks for all its tiles; then
// it takes the next, while they still compute. A number beyond all pieces is
// the end.

#include <type_traits>

#include "backend/cuda/fused/hopper/schedule.h"
#include "backend/cuda/fused/hopper/sizes.h"

namespace attn::cuda {
namespace {

template <class Size>
__device__ void produce(const FusedCall& call, const Schedule& schedule, const TilePlaces<Size>& at,
                        const TensorMaps& maps) {
  Producer<Size> producer{at, maps};
  Ring<1> handed;
  for (int index = static_cast<int>(blockIdx.x);; index = take_piece(schedule)) {
    mbarrier_wait(at.piece_empty(), handed.parity ^ 1);
    at.piece() = index;
    mbarrier_arrive(at.piece_full());
    handed.advance();
    if (index >= schedule.pieces()) return;

    const PieceOfWork piece = piece_of<Size::kQueries>(call, schedule, index);
    const SeenKeys span = span_of<Size::kQueries>(call, reach_of(call, piece.batch), piece.first_query);
    producer.fetch_piece(piece.first_query, ceil_div(span.seen, Size::kKeys), piece.head,
                         piece.head / (call.heads / call.kv_heads), piece.batch);
  }
}

template <class T, class Size>
__device__ void consume(const FusedCall& call, const float scale_log2, const Schedule& schedule,
                        const TilePlaces<Size>& at, const int group) {
  // Barrier 1 + g opens when warpgroup g waits and the one before it has passed the turn on.
  const auto take_turn = [](int mine) {
    if constexpr (Size::kTurns) bar_sync(1 + mine, 256);
  };
  const auto pass_turn = [](int to) {
    if constexpr (Size::kTurns) bar_arrive(1 + to, 256);
  };
  const int next_group = group + 1 == Size::kConsumers ? 0 : group + 1;
  if (next_group == 0) pass_turn(0);

  Ring<1> handed;
  const auto next_piece = [&] {
    mbarrier_wait(at.piece_full(), handed.parity);
    const int index = at.piece();
    sync_warp();  // all lanes have read it
    release(at.piece_empty());
    handed.advance();
    return index;
  };

  Ring<Size::kQueryStages> q_ring;
  Ring<Size::kStages> k_ring, v_ring;
  for (int index = next_piece(); index < schedule.pieces(); index = next_piece()) {
    const PieceOfWork piece = piece_of<Size::kQueries>(call, schedule, index);
    const Reach reach = reach_of(call, piece.batch);
    const SeenKeys span = span_of<Size::kQueries>(call, reach, piece.first_query);
    const MyRows mine(reach, piece.first_query + group * 64);

    TwoRows rows;
    float context[Size::kWidth / 8][4];
    set_to_zero(context);
    int tile = ceil_div(span.seen, Size::kKeys) - 1;
    if (tile >= 0) {
      float scores[Size::kKeys / 8][4];
      std::uint32_t weights[Size::kKeys / 16][4];
      float rescale[2];
      const std::uint32_t q = at.q(q_ring.stage) + group * 64 * 128;  // the warpgroup's rows, in each column

      // The weights of the last tile.
      mbarrier_wait(at.q_full(q_ring.stage), q_ring.parity);
      mbarrier_wait(at.k_full(k_ring.stage), k_ring.parity);
      ask_for_scores<T, Size>(scores, q, at.k(k_ring.stage));
      wait_for(scores);
      release(at.k_empty(k_ring.stage));
      k_ring.advance();
      mine.close(scores, tile * Size::kKeys);
      rows.weights_of(scores, scale_log2, rescale);
      pack_weights<T>(weights, scores);

      if (const int valid = span.seen - tile * Size::kKeys; valid < Size::kKeys && span.seen < call.keys) {
        mbarrier_wait(at.v_full(v_ring.stage), v_ring.parity);
        clear_values<Size>(at.v(v_ring.stage), valid, 1 + Size::kConsumers + group);
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
        if (some_closed.value) mine.close(scores, tile * Size::kKeys);
        rows.weights_of(scores, scale_log2, rescale);
        wgmma_hold(scores);
        // The next keys should be there by now. That this stands here also keeps the
        // compiler from waiting for the context before the exponentials.
        if (tile > 0) mbarrier_wait(at.k_full(k_ring.stage), k_ring.parity);

        wait_for(context);
        release(at.v_empty(v_ring.stage));
        v_ring.advance();
        multiply_rows(context, rescale);
        pack_weights<T>(weights, scores);
      };
      for (--tile; tile >= 0 && (tile + 1) * Size::kKeys > span.seen_by_all; --tile) step(std::true_type{});
      for (; tile >= 0; --tile) step(std::false_type{});

      release(at.q_empty(q_ring.stage));
      q_ring.advance();
      mbarrier_wait(at.v_full(v_ring.stage), v_ring.parity);
      ask_for_context<T, Size>(context, weights, at.v(v_ring.stage));
      wait_for(context);
      release(at.v_empty(v_ring.stage));
      v_ring.advance();
    }
    mine.write<T>(call, piece.head, piece.batch, rows, context);
  }
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::kThreads, 1)
    hopper_attention(const __grid_constant__ FusedCall call, const float scale_log2,
                     const __grid_constant__ Schedule schedule, const __grid_constant__ TensorMaps maps) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC__)  // nothing of this exists elsewhere
  const TilePlaces<Size> at{shared_address(shared_memory())};
  if (threadIdx.x == 0) {
    prefetch_tensormap(&maps.q.map);
    prefetch_tensormap(&maps.k.map);
    prefetch_tensormap(&maps.v.map);
    make_mbarriers(at);
  }
  sync_block();

  const int warpgroup = uniform(static_cast<int>(threadIdx.x) / 128);
  if (warpgroup == 0) {
    setmaxnreg_dec<Size::kProducerRegisters>();
    if (uniform(static_cast<int>(threadIdx.x) / 32) == 0 && elect_one()) produce<Size>(call, schedule, at, maps);
  } else {
    setmaxnreg_inc<Size::kConsumerRegisters>();
    consume<T, Size>(call, scale_log2, schedule, at, warpgroup - 1);
  }
#endif
}

template <class T, class Size>
cudaError_t launch_as(const FusedCall& call, cudaStream_t stream) {
  TensorMaps maps;
  cudaError_t error = describe<Size>(&maps, call);
  int device = 0, multiprocessors = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;

  const Schedule schedule = schedule_of(call, Size::kQueries);
  const int blocks = min(multiprocessors, schedule.pieces());
  return start(hopper_attention<T, Size>, dim3(static_cast<unsigned>(blocks)), Size::kThreads, Size::kSharedBytes,
               stream, call, call.scale * kLog2E, schedule, maps);
}

template <class T>
cudaError_t launch_width(const FusedCall& call, cudaStream_t stream) {
  if (call.key_width == 64) return launch_as<T, TileOf64>(call, stream);
  if (call.key_width == 256) return launch_as<T, TileOf256>(call, stream);
  return call.causal ? launch_as<T, TileOf128Causal>(call, stream) : launch_as<T, TileOf128>(call, stream);
}

std::size_t workspace(const FusedCall&) { return sizeof(unsigned); }

cudaError_t launch(const FusedCall& call, cudaStream_t stream) {
  return call.dtype == Dtype::bf16 ? launch_width<Bf16>(call, stream) : launch_width<F16>(call, stream);
}

}  // namespace

const FusedKernel hopper_kernel = {
    "hopper", "exponentials under products, within a warpgroup and by turns; blocks stay, and take what is left to do",
    fits_hopper, workspace, launch};

}  // namespace attn::cuda
