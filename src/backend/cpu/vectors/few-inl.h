// Attention of few queries, as when a text is continued token by token. Included
// once for each instruction set.
#if defined(ATTN_FEW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTN_FEW_INL_H
#undef ATTN_FEW_INL_H
#else
#define ATTN_FEW_INL_H
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

// Each key and each value is read once, where it lies, for all rows: what takes
// time is the memory.
template <class T>
class FewTask {
 public:
  FewTask(const FusedAttention<T>& call, const FusedRows& rows)
      : call_(call), units_(call), rows_(rows), count_(rows.last - rows.first) {}

  bool attend() {
    if (!lay_out()) return false;
    pack_queries();
    for (std::size_t start = 0; start < call_.keys; start += few_keys) attend_block(start);
    FusedQuery at(call_, rows_.kv_head, rows_.first);
    for (std::size_t i = 0; i < count_; ++i, at.go_on(call_)) {
      const RowSums<T> sums{context_ + i * context_size_, lanes<T>, state_[i].maximum, state_[i].total};
      finish_row(call_, units_, rows_.batch, at, sums);
    }
    return true;
  }

 private:
  static constexpr hn::ScalableTag<T> d{};
  static constexpr std::size_t few_keys = 512;

  struct State {
    CellRow<T> cells;
    T maximum, total;
  };

  static std::size_t up(std::size_t n) { return (n + lanes<T> - 1) / lanes<T> * lanes<T>; }

  bool lay_out() {
    query_size_ = up(call_.key_width);
    context_size_ = up(call_.value_width);
    score_size_ = std::min(few_keys, up(call_.keys));
    const std::size_t states = (count_ * sizeof(State) + 63) / 64 * 64;
    auto* const memory = static_cast<unsigned char*>(
        workspace(states + count_ * (query_size_ + context_size_ + score_size_) * sizeof(T)));
    if (memory == nullptr) return false;
    state_ = reinterpret_cast<State*>(memory);
    queries_ = reinterpret_cast<T*>(memory + states);
    context_ = queries_ + count_ * query_size_;
    scores_ = context_ + count_ * context_size_;
    return true;
  }

  void pack_queries() {
    FusedQuery at(call_, rows_.kv_head, rows_.first);
    for (std::size_t i = 0; i < count_; ++i, at.go_on(call_)) {
      state_[i] = {cell_row(call_, rows_.batch, at.head, at.query), no_maximum<T>, 0};
      pack_query(call_.q + call_.q_at.to(rows_.batch, at.head, at.query), call_.key_width, units_.sign,
                 queries_ + i * query_size_, lanes<T>);
    }
    std::fill(context_, context_ + count_ * context_size_, T{0});
  }

  void attend_block(std::size_t start) {
    const std::size_t count = std::min(few_keys, call_.keys - start);
    const KeySpan appended = within_block(own_keys(call_), call_.keys, start, count);
    KeySpan own{count, 0};
    for (std::size_t i = 0; i < count_; ++i) {
      const Sight seen = state_[i].cells.seen;
      const KeySpan span = within_block(seen.first, seen.last, start, count);
      if (!span.empty()) own = {std::min(own.first, span.first), std::max(own.last, span.last)};
    }
    if (own.empty() && appended.empty()) return;
    if (call_.open != nullptr) {
      Masked masked;
      for (std::size_t i = 0; i < count_; ++i) masked.add(state_[i].cells, call_.open_at, start, {0, count});
      if (!masked.some_open) return;
    }
    for (const KeySpan span : {own, appended}) score(span, start);
    for (std::size_t i = 0; i < count_; ++i) weigh_row(i, start, count, appended);
    for (const KeySpan span : {own, appended}) add_values(span, start);
  }

  // Asks for the row that comes so many bytes later, perhaps in the next block: keys
  // and values take turns, and what the processor fetches of its own accord begins
  // anew each time. One row at a time, as more would wait for each other.
  HWY_INLINE void fetch_ahead(const T* rows, std::size_t stride, std::size_t width, std::size_t key) const {
    constexpr std::size_t ahead_bytes = 6144;
    const std::size_t ahead = key + ahead_bytes / std::max(width * sizeof(T), std::size_t{64}) + 1;
    if (ahead >= call_.keys) return;
    for (std::size_t c = 0; c < width; c += 64 / sizeof(T)) __builtin_prefetch(rows + ahead * stride + c);
  }

  // Scores of every row with keys of the block. The first row brings them from memory,
  // and so takes one after another; the other rows find them in the cache.
  void score(KeySpan span, std::size_t start) {
    const std::size_t stride = call_.k_at.row, width = call_.key_width;
    const T* const keys = call_.k + call_.k_at.to(rows_.batch, rows_.kv_head);
    std::size_t j = span.first;
    for (; j + 4 <= span.last; j += 4) {
      for (std::size_t n = 0; n < 4; ++n) {
        fetch_ahead(keys, stride, width, start + j + n);
        score_keys<1>(0, keys + (start + j + n) * stride, j + n);
      }
      for (std::size_t i = 1; i < count_; ++i) score_keys<4>(i, keys + (start + j) * stride, j);
    }
    for (; j < span.last; ++j) {
      for (std::size_t i = 0; i < count_; ++i) score_keys<1>(i, keys + (start + j) * stride, j);
    }
  }

  template <std::size_t together>
  HWY_INLINE void score_keys(std::size_t i, const T* key, std::size_t j) {
    constexpr auto each = std::make_index_sequence<together>();
    const std::size_t stride = call_.k_at.row, width = call_.key_width;
    const T* const query = queries_ + i * query_size_;
    hn::Vec<hn::ScalableTag<T>> sum[together];
    unrolled(each, [&](auto n) ATTN_INLINE_LAMBDA { sum[n] = hn::Zero(d); });
    std::size_t c = 0;
    for (; c + lanes<T> <= width; c += lanes<T>) {
      const auto q = hn::Load(d, query + c);
      unrolled(each,
               [&](auto n) ATTN_INLINE_LAMBDA { sum[n] = hn::MulAdd(q, hn::LoadU(d, key + n * stride + c), sum[n]); });
    }
    if (c < width) {
      const auto q = hn::Load(d, query + c);
      unrolled(each, [&](auto n) ATTN_INLINE_LAMBDA {
        sum[n] = hn::MulAdd(q, load_first(d, key + n * stride + c, width - c), sum[n]);
      });
    }
    unrolled(each, [&](auto n) ATTN_INLINE_LAMBDA {
      scores_[i * score_size_ + j + n] = hn::GetLane(hn::SumOfLanes(d, sum[n]));
    });
  }

  void weigh_row(std::size_t i, std::size_t start, std::size_t count, KeySpan appended) {
    State& state = state_[i];
    const CellRow<T>& cells = state.cells;
    const ScoreRow<T> row{scores_ + i * score_size_, lanes<T>, 0, up(count) / lanes<T>};
    const KeySpan seen = within_block(cells.seen.first, cells.seen.last, start, count);
    const bool all_seen = seen.first == 0 && seen.last == row.last * lanes<T>;
    shape_row(call_, units_, cells, row, start, count, appended, all_seen);

    const T before = state.maximum;
    state.maximum = largest_of(row, before);
    // Where there was nothing yet, there is nothing to rescale.
    const bool rescales = state.maximum != before && state.total != T{0};
    const T factor = rescales ? exp2_of(before - state.maximum, units_.exponent) : T{1};
    state.total = state.total * factor + weigh(row, state.maximum, units_.exponent);
    if (!rescales) return;
    for (std::size_t c = 0; c < context_size_; c += lanes<T>) {
      T* const at = context_ + i * context_size_ + c;
      hn::Store(hn::Mul(hn::Set(d, factor), hn::Load(d, at)), d, at);
    }
  }

  // The weighted values of the block. The first row again brings them from memory one
  // after another; for the other rows, numbers of the context stay in registers
  // while a few values pass.
  void add_values(KeySpan span, std::size_t start) {
    const std::size_t stride = call_.v_at.row;
    const T* const values = call_.v + call_.v_at.to(rows_.batch, rows_.kv_head);
    constexpr std::size_t together = 16;
    for (std::size_t j = span.first; j < span.last; j += together) {
      const std::size_t n = std::min(together, span.last - j);
      for (std::size_t key = j; key < j + n; ++key) {
        fetch_ahead(values, stride, call_.value_width, start + key);
        add_values_of(0, values + (start + key) * stride, key, 1);
      }
      for (std::size_t i = 1; i < count_; ++i) add_values_of(i, values + (start + j) * stride, j, n);
    }
  }

  // Of n keys from key j of the block on.
  HWY_INLINE void add_values_of(std::size_t i, const T* value, std::size_t j, std::size_t n) {
    const T* const weights = scores_ + i * score_size_ + j;
    T* const context = context_ + i * context_size_;
    std::size_t c = add_columns<8>(value, weights, n, 0, context);
    c = add_columns<4>(value, weights, n, c, context);
    c = add_columns<1>(value, weights, n, c, context);
    if (c == call_.value_width) return;
    auto sum = hn::Load(d, context + c);
    for (std::size_t key = 0; key < n; ++key) {
      const auto last = load_first(d, value + key * call_.v_at.row + c, call_.value_width - c);
      sum = hn::MulAdd(hn::Set(d, weights[key]), last, sum);
    }
    hn::Store(sum, d, context + c);
  }

  // From column c on, as long as so many vectors of columns are left. Returns where
  // the rest begins.
  template <std::size_t vectors>
  HWY_INLINE std::size_t add_columns(const T* value, const T* weights, std::size_t n, std::size_t c, T* context) {
    constexpr auto each = std::make_index_sequence<vectors>();
    for (; c + vectors * lanes<T> <= call_.value_width; c += vectors * lanes<T>) {
      hn::Vec<hn::ScalableTag<T>> sum[vectors];
      unrolled(each, [&](auto v) ATTN_INLINE_LAMBDA { sum[v] = hn::Load(d, context + c + v * lanes<T>); });
      for (std::size_t key = 0; key < n; ++key) {
        const auto weight = hn::Set(d, weights[key]);
        const T* const row = value + key * call_.v_at.row + c;
        unrolled(each, [&](auto v) ATTN_INLINE_LAMBDA {
          sum[v] = hn::MulAdd(weight, hn::LoadU(d, row + v * lanes<T>), sum[v]);
        });
      }
      unrolled(each, [&](auto v) ATTN_INLINE_LAMBDA { hn::Store(sum[v], d, context + c + v * lanes<T>); });
    }
    return c;
  }

  const FusedAttention<T>& call_;
  const ScoreUnits<T> units_;
  const FusedRows& rows_;
  std::size_t count_;

  State* state_ = nullptr;  // [row]
  T* queries_ = nullptr;    // [row][key_width]
  T* context_ = nullptr;    // [row][value_width]
  T* scores_ = nullptr;     // [row][key of the block]
  std::size_t query_size_ = 0, context_size_ = 0, score_size_ = 0;
};

// Returns false where there is no memory for its packed blocks.
template <class T>
bool attend_in_few(const FusedAttention<T>& call, const FusedRows& rows) {
  return FewTask<T>(call, rows).attend();
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#endif
