// Who does what in the kernels for Hopper and for few queries: each piece of work
// once, and all blocks equally long.

#include "backend/cuda/fused/hopper/schedule.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "backend/cuda/fused/hopper/sizes.h"
#include "backend/cuda/fused/splits.h"
#include "catch.h"

using namespace attn::cuda;

namespace {

// A call of `tokens` queries and keys, and as many sequences as make up 16k of them, with heads that
// make up 2048 features: what kernels are usually measured with.
FusedCall call_of(int tokens, int width, bool causal) {
  FusedCall call;
  call.batch = 16384 / tokens;
  call.heads = call.kv_heads = 2048 / width;
  call.queries = call.keys = tokens;
  call.key_width = call.value_width = width;
  call.causal = causal;
  return call;
}

// The mean load of a block divided by the largest, where a block takes the next
// piece when it has done its last. A piece takes as long as it has tiles of keys,
// and `besides`, for its queries and its context.
template <class Size>
double balance(const FusedCall& call, int blocks, double besides) {
  const Schedule schedule = schedule_of(call, Size::kQueries);
  std::priority_queue<double, std::vector<double>, std::greater<>> busy_until;
  for (int i = 0; i < std::min(blocks, schedule.pieces()); ++i) busy_until.push(0);
  double sum = 0, largest = 0;
  for (int index = 0; index < schedule.pieces(); ++index) {
    const PieceOfWork piece = piece_of<Size::kQueries>(call, schedule, index);
    const SeenKeys span = span_of<Size::kQueries>(call, reach_of(call, piece.batch), piece.first_query);
    const double takes = ceil_div(span.seen, Size::kKeys) + besides;
    const double done = busy_until.top() + takes;
    busy_until.pop();
    busy_until.push(done);
    sum += takes;
    largest = std::max(largest, done);
  }
  return sum / static_cast<double>(busy_until.size()) / largest;
}

double balance(const FusedCall& call, int blocks, double besides) {
  return call.key_width == 64    ? balance<TileOf64>(call, blocks, besides)
         : call.key_width == 256 ? balance<TileOf256>(call, blocks, besides)
         : call.causal           ? balance<TileOf128Causal>(call, blocks, besides)
                                 : balance<TileOf128>(call, blocks, besides);
}

// Multiprocessors of an A100, two kinds of H100, and a B200.
const std::vector<int> kBlocks = {108, 114, 132, 148};

void check_balance(const FusedCall& call, double least) {
  for (const int blocks : kBlocks) {
    for (const double besides : {0.0, 1.0}) {  // how long a piece takes, whatever its keys
      INFO(call.batch << " x " << call.queries << " tokens, heads of " << call.key_width << ", " << blocks
                      << " blocks, " << besides << " tiles besides");
      CHECK(balance(call, blocks, besides) >= least - 0.01 * besides);
    }
  }
}

}  // namespace

TEST_CASE("pieces of causal sequences keep all blocks equally busy", "[cuda]") {
  for (const int width : {64, 128, 256}) {
    for (const int tokens : {2048, 4096, 8192, 16384}) {
      FusedCall call = call_of(tokens, width, true);
      check_balance(call, 0.97);
      call.kv_heads = call.heads / 4;
      check_balance(call, 0.97);
    }
  }
}

TEST_CASE("pieces of sequences of many lengths keep all blocks equally busy", "[cuda]") {
  for (const bool causal : {true, false}) {
    for (const int width : {64, 128, 256}) {
      for (const int tokens : {2048, 4096, 8192}) {
        FusedCall call = call_of(tokens, width, causal);
        std::vector<std::size_t> lengths;
        for (int i = 0; i < call.batch; ++i)
          lengths.push_back(static_cast<std::size_t>(tokens - i * tokens / (2 * call.batch)));
        call.lengths = lengths.data();
        check_balance(call, 0.945);
      }
    }
  }
}

TEST_CASE("each piece of work has its turn once", "[cuda]") {
  for (const bool causal : {true, false}) {
    for (const int kv_heads : {1, 3, 6}) {
      FusedCall call = call_of(4096, 128, causal);
      call.batch = 3;
      call.heads = 6;
      call.kv_heads = kv_heads;
      call.queries = 1000;
      const Schedule schedule = schedule_of(call, 128);
      std::set<std::tuple<int, int, int>> seen;
      for (int index = 0; index < schedule.pieces(); ++index) {
        const PieceOfWork piece = piece_of<128>(call, schedule, index);
        CHECK((piece.batch >= 0 && piece.batch < 3 && piece.head >= 0 && piece.head < 6));
        CHECK((piece.first_query >= 0 && piece.first_query < 1000 && piece.first_query % 128 == 0));
        seen.insert({piece.batch, piece.head, piece.first_query});
      }
      CHECK(seen.size() == 3 * 6 * 8);
    }
  }
}

TEST_CASE("keys and values that are worked on together fit into the cache, and heads that share them do not part",
          "[cuda]") {
  for (const int tokens : {2048, 16384, 200000}) {
    for (const int kv_heads : {2, 8}) {
      FusedCall call = call_of(16384, 128, true);
      call.keys = tokens;
      call.kv_heads = kv_heads;
      const Schedule schedule = schedule_of(call, 128);
      const int sharing = call.heads / kv_heads;
      CHECK(schedule.heads_at_once % sharing == 0);
      const std::int64_t bytes = std::int64_t{schedule.heads_at_once / sharing} * tokens * 128 * 4;
      CHECK((bytes <= kCacheForKeysAndValues || schedule.heads_at_once == sharing));
    }
  }
}

TEST_CASE("the keys of few queries are split so that blocks fill whole waves", "[cuda]") {
  constexpr int kSlots = 264, kTiles = 64;  // of an H100; 4096 keys
  double all = 0;
  for (int blocks = 1; blocks <= 600; ++blocks) {
    const int splits = splits_of(blocks, kTiles, kSlots);
    CHECK((splits >= 1 && splits <= kTiles / 4));
    const int slots = ceil_div(blocks * splits, kSlots) * kSlots;
    const double full = static_cast<double>(blocks) * kTiles / (slots * ceil_div(kTiles, splits));
    INFO(blocks << " blocks in " << splits << " parts");
    if (blocks * (kTiles / 4) >= kSlots) CHECK(full > 0.73);
    all += full;
  }
  CHECK(all / 600 > 0.9);
  CHECK(splits_of(1, 3, kSlots) == 1);
  CHECK(splits_of(264, kTiles, kSlots) == 1);
  CHECK(splits_of(132, kTiles, kSlots) == 2);
  CHECK(splits_of(150, kTiles, kSlots) > 1);  // one wave would leave nearly half of the device idle
}
