#pragma once

#include "backend/cuda/fused/hopper/tiles.h"

// How large things are in hopper.cu: as large as registers (O, S and P of a thread)
// and shared memory let them be.

namespace attn::cuda {

constexpr int kMostSharedBytes = 227 * 1024;

// Where there is room for a second buffer of queries, the next are there when they are wanted.
// Heads of 64 have a third group of consumers, and room for four stages: with two, values come
// back too late for the group whose turn is next.
template <int kWidth, int kKeys, int kQueryStages>
using HopperSizes = TileSizes<kWidth, kKeys, kWidth == 64 ? 3 : 2, kQueryStages, kWidth == 64 ? 4 : 2>;

template <int kWidth, int kKeys>
struct HopperTile
    : HopperSizes<kWidth, kKeys, HopperSizes<kWidth, kKeys, 2>::kSharedBytes <= kMostSharedBytes ? 2 : 1> {
  static constexpr int kConsumers = HopperTile::kGroups;
  static constexpr int kThreads = 128 * (1 + kConsumers);
  static constexpr bool kTurns = kWidth <= 128;  // heads of 256 leave the softmax little to do

  // 64 Ki registers for the block: 128 · (producer + consumers).
  static constexpr int kProducerRegisters = kConsumers == 3 ? 32 : 24;
  static constexpr int kConsumerRegisters = kConsumers == 3 ? 160 : 240;
  static_assert(HopperTile::kSharedBytes <= kMostSharedBytes);
};

using TileOf64 = HopperTile<64, 128>;
using TileOf128 = HopperTile<128, 176>;
using TileOf128Causal = HopperTile<128, 128>;  // less of a tile on the diagonal is for nothing
using TileOf256 = HopperTile<256, 80>;

}  // namespace attn::cuda
