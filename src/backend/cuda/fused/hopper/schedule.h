#pragma once

#include "backend/cuda/fused/tile.h"

// Who does what, and when, where blocks stay for several pieces of work.

namespace attn::cuda {

// What there is to do: pieces of so many queries of one head.
//
// Pieces of a causal sequence differ: the last queries see all keys, the first ones
// nearly none. So no block is told beforehand what is its own. It begins with
// the piece of its number, and whenever it has asked for all that a piece
// needs, it takes the next that nobody has: the longest first, so that what
// blocks wait for at the end is short.
struct Schedule {
  int pieces_of_head, heads;  // heads of all sequences together
  // Heads whose keys and values fit into the second-level cache together: their
  // pieces come before those of the next heads.
  int heads_at_once;
  unsigned* counter;  // of the pieces that were taken so far, but for every block's first

  __host__ __device__ int pieces() const { return heads * pieces_of_head; }
};

// Bytes, well within the 50 MB of an H100.
constexpr std::int64_t kCacheForKeysAndValues = std::int64_t{32} << 20;

inline Schedule schedule_of(const FusedCall& call, int queries_of_piece) {
  Schedule schedule{ceil_div(call.queries, queries_of_piece), call.batch * call.heads, 1,
                    static_cast<unsigned*>(call.workspace)};
  if (!call.causal) return schedule;  // all pieces alike: the fewer heads at a time, the better
  const int sharing = call.heads / call.kv_heads;
  const std::int64_t bytes = std::int64_t{2} * 2 * call.keys * call.key_width;  // of keys and values of a head
  std::int64_t pairs = 1;
  while (2 * pairs * bytes <= kCacheForKeysAndValues && 2 * pairs <= call.batch * call.kv_heads) pairs *= 2;
  schedule.heads_at_once = static_cast<int>(pairs) * sharing;
  return schedule;
}

struct PieceOfWork {
  int batch, head, first_query;
};

template <int kQueries>
__host__ __device__ PieceOfWork piece_of(const FusedCall& call, const Schedule& schedule, int index) {
  const int of_group = schedule.heads_at_once * schedule.pieces_of_head;
  const int first_head = index / of_group * schedule.heads_at_once;
  const int heads_here = min(schedule.heads_at_once, schedule.heads - first_head);
  const int head = first_head + index % of_group % heads_here;
  const int from_end = index % of_group / heads_here;
  return {head / call.heads, head % call.heads, (schedule.pieces_of_head - 1 - from_end) * kQueries};
}

// The next piece that no block has taken; pieces() or more where there is none.
// Every block asks until it is told so: as often as there are pieces, all
// together, and the last to ask leaves the counter at 0 for the next launch.
// REQUIRES: there are no more blocks than pieces.
inline __device__ int take_piece(const Schedule& schedule) {
  return static_cast<int>(gridDim.x + atomic_count(schedule.counter, static_cast<unsigned>(schedule.pieces()) - 1));
}

}  // namespace attn::cuda
