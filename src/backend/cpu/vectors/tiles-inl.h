// Attention of many queries. Included once for each instruction set.
#if defined(ATTN_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_TILES_INL_H
#undef ATTN_TILES_INL_H
#else
#define ATTN_TILES_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <hwy/highway.h>

#include "backend/cpu/vectors/kernels.h"
#include "backend/cpu/vectors/row-inl.h"
#include "backend/cpu/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Keys that are worked on together. Blocks begin at multiples of it, whatever
// rows, batch and threads there are: this fixes the order of every sum.
constexpr std::size_t block_keys = 256;

// The rows of one task, in groups of `tile_rows`:
//
//   for each block of keys                        packed once, for all groups
//     for each group of queries
//       scores  = queries · keysᵀ                 in tiles of registers
//       close what the queries do not see
//       maximum, weights = 2^(scores − maximum)   and their sum
//       context = context · 2^(old − new maximum) + weights · values
//   context / sum
template <class T>
class TileTask {
 public:
  TileTask(const FusedAttention<T>& call, const FusedRows& rows)
      : call_(call), units_(call), rows_(rows), groups_((rows.last - rows.first + tile_rows - 1) / tile_rows) {}

  bool attend() {
    if (!lay_out()) return false;
    pack_queries();
    gather_sights();
    for (std::size_t start = 0; start < call_.keys; start += block_keys) attend_block(start);
    finish();
    return true;
  }

 private:
  static constexpr hn::ScalableTag<T> d{};

  // A group's share of an array that has a number a row.
  static constexpr std::size_t group_numbers = (tile_rows + lanes<T> - 1) / lanes<T> * lanes<T>;

  static std::size_t up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

  bool lay_out() {
    query_size_ = up(call_.key_width, lanes<T>) * tile_rows;
    context_size_ = up(call_.value_width, panel_width<T>) * tile_rows;
    const std::size_t keys_size = block_keys * call_.key_width;
    const std::size_t values_size = block_keys * up(call_.value_width, panel_width<T>);
    const std::size_t numbers = groups_ * (query_size_ + context_size_ + 2 * group_numbers) + keys_size + values_size +
                                tile_rows * block_keys + group_numbers + tile_rows * lanes<T>;
    const std::size_t cell_rows = up(groups_ * (tile_rows * sizeof(CellRow<T>) + sizeof(Seen)), 64);
    auto* memory = static_cast<unsigned char*>(workspace(cell_rows + numbers * sizeof(T)));
    if (memory == nullptr) return false;
    cells_ = reinterpret_cast<CellRow<T>*>(memory);
    group_seen_ = reinterpret_cast<Seen*>(cells_ + groups_ * tile_rows);
    T* at = reinterpret_cast<T*>(memory + cell_rows);
    const auto take = [&](std::size_t size) {
      T* const taken = at;
      at += size;
      return taken;
    };
    keys_ = take(keys_size);
    values_ = take(values_size);
    scores_ = take(tile_rows * block_keys);
    factor_ = take(group_numbers);
    largest_ = take(tile_rows * lanes<T>);
    queries_ = take(groups_ * query_size_);
    context_ = take(groups_ * context_size_);
    maximum_ = take(groups_ * group_numbers);
    total_ = take(groups_ * group_numbers);
    std::fill(context_, context_ + groups_ * context_size_, T{0});
    std::fill(maximum_, maximum_ + groups_ * group_numbers, no_maximum<T>);
    std::fill(total_, total_ + groups_ * group_numbers, T{0});
    return true;
  }

  void pack_queries() {
    FusedQuery at(call_, rows_.kv_head, rows_.first);
    for (std::size_t i = 0; i < groups_ * tile_rows; ++i) {
      T* const to = queries_ + i / tile_rows * query_size_ + i % tile_rows * lanes<T>;
      if (rows_.first + i < rows_.last) {
        cells_[i] = cell_row(call_, rows_.batch, at.head, at.query);
        pack_query(call_.q + call_.q_at.to(rows_.batch, at.head, at.query), call_.key_width, units_.sign, to,
                   tile_rows * lanes<T>);
        at.go_on(call_);
      } else {
        // Rows that only fill the last group see what the one before sees.
        cells_[i] = cells_[i - 1];
        for (std::size_t j = 0; j < call_.key_width; j += lanes<T>) {
          hn::Store(hn::Zero(d), d, to + j * tile_rows);
        }
      }
    }
  }

  // What some rows see: from the first key that one of them sees to the last; and
  // what all of them see.
  struct Seen {
    Sight some, every;

    void add(const Sight& seen) {
      some = {std::min(some.first, seen.first), std::max(some.last, seen.last)};
      every = {std::max(every.first, seen.first), std::min(every.last, seen.last)};
    }
  };

  void gather_sights() {
    seen_ = {cells_[0].seen, cells_[0].seen};
    for (std::size_t group = 0; group < groups_; ++group) {
      const CellRow<T>* const rows = cells_ + group * tile_rows;
      group_seen_[group] = {rows[0].seen, rows[0].seen};
      for (std::size_t i = 1; i < tile_rows; ++i) group_seen_[group].add(rows[i].seen);
      seen_.add(group_seen_[group].some);
    }
  }

  // What rows first to last of the task see of the block: from the first key
  // that one of them sees to the last.
  struct Range {
    KeySpan own;       // that some row sees
    KeySpan common;    // that every row sees
    KeySpan appended;  // that are open to all
    KeySpan needed;    // own and appended together
  };
  Range range_of(const Seen& seen, std::size_t start) const {
    const std::size_t count = std::min(block_keys, call_.keys - start);
    const Sight &some = seen.some, &every = seen.every;
    Range range;
    range.own = within_block(some.first, some.last, start, count);
    range.common = within_block(every.first, every.last, start, count);
    range.appended = within_block(own_keys(call_), call_.keys, start, count);
    range.needed = range.own.empty() ? range.appended : range.own;
    if (!range.own.empty() && !range.appended.empty()) {
      range.needed = {std::min(range.own.first, range.appended.first), std::max(range.own.last, range.appended.last)};
    }
    return range;
  }

  void attend_block(std::size_t start) {
    const Range range = range_of(seen_, start);
    if (range.needed.empty()) return;
    bool packed = false;
    ahead_ = start + block_keys;
    for (std::size_t group = 0; group < groups_; ++group) {
      const Range of_group = range_of(group_seen_[group], start);
      if (of_group.needed.empty()) continue;
      const Masked masked = masked_cells(group, start, of_group.needed);
      if (!masked.some_open) continue;
      if (!packed) pack_block(range, start);
      packed = true;
      ahead_until_ = std::min(call_.keys, start + block_keys + block_keys * (group + 1) / groups_);
      attend_group(group, start, of_group, masked.some_closed);
    }
  }

  Masked masked_cells(std::size_t group, std::size_t start, KeySpan keys) const {
    if (call_.open == nullptr) return {.some_open = true, .some_closed = false};
    Masked masked;
    const CellRow<T>* const rows = cells_ + group * tile_rows;
    for (std::size_t i = 0; i < tile_rows; ++i) {
      if (i == 0 || rows[i].open != rows[i - 1].open) masked.add(rows[i], call_.open_at, start, keys);
    }
    return masked;
  }

  // Brings a key and a value of the next block from memory while this one is
  // worked on; a few at a time, as more would wait for each other.
  HWY_INLINE void fetch_ahead() {
    if (ahead_ >= ahead_until_) return;
    const T* const k = call_.k + call_.k_at.to(rows_.batch, rows_.kv_head, ahead_);
    const T* const v = call_.v + call_.v_at.to(rows_.batch, rows_.kv_head, ahead_);
    constexpr std::size_t line = 64 / sizeof(T);
    for (std::size_t i = 0; i < call_.key_width; i += line) __builtin_prefetch(k + i, 0, 2);
    for (std::size_t i = 0; i < call_.value_width; i += line) __builtin_prefetch(v + i, 0, 2);
    ++ahead_;
  }

  void pack_block(const Range& range, std::size_t start) {
    const std::size_t count = std::min(block_keys, call_.keys - start);
    const T* const k = call_.k + call_.k_at.to(rows_.batch, rows_.kv_head);
    const T* const v = call_.v + call_.v_at.to(rows_.batch, rows_.kv_head);
    const std::size_t first = range.needed.first / panel_width<T> * panel_width<T>;
    const std::size_t last = up(range.needed.last, panel_width<T>);
    for (std::size_t key = first; key < last; key += panel_width<T>) {
      pack_keys(k + (start + key) * call_.k_at.row, call_.k_at.row, count - key, call_.key_width,
                keys_ + key * call_.key_width);
    }
    // What no row sees is 0: it may be NaN, and 0 · NaN would be, too.
    std::size_t done = first;
    for (const KeySpan span : {range.own, range.appended}) {
      if (span.empty()) continue;
      pack_nothing(done, span.first, call_.value_width, block_keys, values_);
      pack_values(v + start * call_.v_at.row, call_.v_at.row, span.first, span.last, call_.value_width, block_keys,
                  values_);
      done = span.last;
    }
  }

  void attend_group(std::size_t group, std::size_t start, const Range& range, bool masked) {
    const std::size_t first = range.needed.first / panel_width<T>,
                      last = up(range.needed.last, panel_width<T>) / panel_width<T>;
    const bool all_seen = range.common.first <= first * panel_width<T> && range.common.last >= last * panel_width<T>;
    // Panels that every row sees, and that nothing is done to: as they are.
    std::size_t first_plain = first, last_plain = first;
    if (!units_.reshaped && !masked) {
      first_plain = std::clamp(up(range.common.first, panel_width<T>) / panel_width<T>, first, last);
      last_plain = std::clamp(range.common.last / panel_width<T>, first_plain, last);
    }

    for (std::size_t i = 0; i < tile_rows; ++i) {
      hn::Store(hn::Set(d, maximum_[group * group_numbers + i]), d, largest_ + i * lanes<T>);
    }
    for (std::size_t panel = first; panel < last; ++panel) {
      fetch_ahead();
      multiply_tile<2, false>(queries_ + group * query_size_, keys_ + panel * panel_width<T> * call_.key_width,
                              call_.key_width, scores_ + panel * panel_width<T> * tile_rows, factor_,
                              first_plain <= panel && panel < last_plain ? largest_ : nullptr);
    }
    if (first < first_plain) shape_group(group, start, range, all_seen, 2 * first, 2 * first_plain);
    if (last_plain < last) shape_group(group, start, range, all_seen, 2 * last_plain, 2 * last);
    weigh_group(group, 2 * first, 2 * last);
    const T* const weights = scores_ + first * panel_width<T> * tile_rows;
    const std::size_t depth = range.needed.last - first * panel_width<T>;
    for (std::size_t column = 0; column < call_.value_width; column += panel_width<T>) {
      const T* const values = values_ + column * block_keys + first * panel_width<T> * panel_width<T>;
      T* const context = context_ + group * context_size_ + column * tile_rows;
      if (call_.value_width - column > lanes<T>) {
        multiply_tile<2, true>(weights, values, depth, context, factor_);
      } else {
        multiply_tile<1, true>(weights, values, depth, context, factor_);
      }
    }
  }

  ScoreRow<T> score_row(std::size_t row, std::size_t first, std::size_t last) const {
    return {scores_ + row * lanes<T>, tile_rows * lanes<T>, first, last};
  }

  // Scale, cap, bias and what is closed; and then the maxima.
  void shape_group(std::size_t group, std::size_t start, const Range& range, bool all_seen, std::size_t first,
                   std::size_t last) {
    const std::size_t count = std::min(block_keys, call_.keys - start);
    for (std::size_t i = 0; i < tile_rows; ++i) {
      const ScoreRow<T> row = score_row(i, first, last);
      shape_row(call_, units_, cells_[group * tile_rows + i], row, start, count, range.appended, all_seen);
      auto largest = hn::Load(d, largest_ + i * lanes<T>);
      for (std::size_t j = first; j < last; ++j) largest = hn::Max(largest, hn::Load(d, row.at + j * row.step));
      hn::Store(largest, d, largest_ + i * lanes<T>);
    }
  }

  void weigh_group(std::size_t group, std::size_t first, std::size_t last) {
    T* const maximum = maximum_ + group * group_numbers;
    T* const total = total_ + group * group_numbers;
    const Exponent<hn::ScalableTag<T>> exponent(d, units_.exponent);
    HWY_ALIGN T before[group_numbers];
    for (std::size_t i = 0; i < tile_rows; ++i) {
      before[i] = maximum[i];
      maximum[i] = hn::GetLane(hn::MaxOfLanes(d, hn::Load(d, largest_ + i * lanes<T>)));
    }
    for (std::size_t i = tile_rows; i < group_numbers; ++i) before[i] = maximum[i];
    for (std::size_t i = 0; i < group_numbers; i += lanes<T>) {
      const auto risen = hn::Sub(hn::Load(d, before + i), hn::Load(d, maximum + i));
      hn::Store(exp2(d, risen, exponent), d, factor_ + i);
    }
    HWY_ALIGN T sums[tile_rows];
    weigh_rows<tile_rows>(scores_ + first * tile_rows * lanes<T>, last - first, maximum, units_.exponent, sums);
    for (std::size_t i = 0; i < tile_rows; ++i) total[i] = total[i] * factor_[i] + sums[i];
  }

  void finish() {
    FusedQuery at(call_, rows_.kv_head, rows_.first);
    for (std::size_t i = 0; rows_.first + i < rows_.last; ++i, at.go_on(call_)) {
      const std::size_t group = i / tile_rows, row = i % tile_rows;
      const RowSums<T> sums{context_ + group * context_size_ + row * lanes<T>, tile_rows * lanes<T>,
                            maximum_[group * group_numbers + row], total_[group * group_numbers + row]};
      finish_row(call_, units_, rows_.batch, at, sums);
    }
  }

  const FusedAttention<T>& call_;
  const ScoreUnits<T> units_;
  const FusedRows& rows_;
  std::size_t groups_;

  std::size_t ahead_ = 0, ahead_until_ = 0;  // keys to be brought from memory next

  Seen seen_;                   // by the task's rows
  Seen* group_seen_ = nullptr;  // [group]
  CellRow<T>* cells_ = nullptr;
  T* keys_ = nullptr;     // panels [key_width][panel_width]
  T* values_ = nullptr;   // panels [block_keys][panel_width]
  T* scores_ = nullptr;   // [block_keys / lanes][tile_rows][lanes], of one group
  T* factor_ = nullptr;   // [group_numbers], of one group
  T* largest_ = nullptr;  // [tile_rows][lanes], maxima of one group
  T* queries_ = nullptr;  // [group][key_width / lanes][tile_rows][lanes]
  T* context_ = nullptr;  // [group][value_width / lanes][tile_rows][lanes]
  T* maximum_ = nullptr;  // [group][group_numbers], of the scores so far
  T* total_ = nullptr;    // [group][group_numbers]
  std::size_t query_size_ = 0, context_size_ = 0;
};

// Returns false where there is no memory for its packed blocks.
template <class T>
bool attend_in_tiles(const FusedAttention<T>& call, const FusedRows& rows) {
  return TileTask<T>(call, rows).attend();
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
