#pragma once

#include "backend/cuda/fused/tile.h"

// Who does what, and when, where blocks stay for several pieces of work: producer and consumers
// of a block work this out for themselves, alike.

namespace attn::cuda {

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

// What there is to do: pieces of kQueries queries of one head.
struct Schedule {
  int pieces_of_head, heads;  // heads of all sequences together
  // Heads whose keys and values fit into the second-level cache together. Their
  // pieces come first, the longest before the others.
  int heads_at_once;
};

struct PieceOfWork {
  int batch, head, first_query;
};

template <int kQueries>
inline __device__ PieceOfWork piece_of(const FusedCall& call, const Schedule& schedule, int index) {
  const int of_group = schedule.heads_at_once * schedule.pieces_of_head;
  const int first_head = index / of_group * schedule.heads_at_once;
  const int heads_here = min(schedule.heads_at_once, schedule.heads - first_head);
  const int head = first_head + index % of_group % heads_here;
  const int from_end = index % of_group / heads_here;
  return {head / call.heads, head % call.heads, (schedule.pieces_of_head - 1 - from_end) * kQueries};
}

// The pieces of a block, in rounds. Pieces get shorter, so every other round
// goes through the blocks backwards: who has had the longest gets the shortest.
struct MyPieces {
  int round = 0;

  __device__ int next() {
    const int blocks = static_cast<int>(gridDim.x), mine = static_cast<int>(blockIdx.x);
    const int index = round * blocks + (round % 2 == 0 ? mine : blocks - 1 - mine);
    ++round;
    return index;
  }
};

// How many keys the piece has to go through, and how many of them all its queries see.
struct SeenKeys {
  int seen, seen_by_all;
};

template <int kQueries>
__device__ SeenKeys span_of(const FusedCall& call, const Reach& reach, int first_query) {
  return {reach.of(min(first_query + kQueries, call.queries) - 1), reach.of(first_query)};
}

}  // namespace attn::cuda
