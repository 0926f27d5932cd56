#pragma once

#include "backend/cuda/fused/tile.h"

// Into how many parts the keys of each block are split, where there are few queries.

namespace attn::cuda {

// What a launch takes, in tiles that a block reads: whole waves of blocks, of which
// each has so many tiles, and to begin; and what is put together at the end.
// The last two are what an H100's latency and the size of a part suggest.
inline double tiles_taken(int blocks, int tiles, int slots, int splits) {
  constexpr double kBegin = 2, kPart = 1.0 / 16;
  return ceil_div(blocks * splits, slots) * (ceil_div(tiles, splits) + kBegin) + kPart * splits;
}

// So many splits that blocks fill whole waves of what the device runs at the same time (`slots`);
// no split has less than four tiles.
inline int splits_of(int blocks, int tiles, int slots) {
  const auto taken = [&](int splits) { return tiles_taken(blocks, tiles, slots, splits); };
  int best = 1;
  // Fewer ones, where more are not worth it.
  for (int splits = 2; splits <= ceil_div(tiles, 4); ++splits) {
    if (taken(splits) < 0.98 * taken(best)) best = splits;
  }
  return best;
}

}  // namespace attn::cuda
