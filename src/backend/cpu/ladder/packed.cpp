// As before, but keys and values are first laid out so that tiles of twelve
// queries and two vectors of keys fit the registers: each number that is loaded
// then serves twelve products, or as many as a vector is long, and not one. The
// scores of twelve queries are still kept whole, from the first key to the last.

#include "backend/cpu/vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/ladder/packed.cpp"
#include <hwy/foreach_target.h>
//
#include <algorithm>
#include <hwy/highway.h>

#include "backend/cpu/ladder/rung.h"
#include "backend/cpu/vectors/dispatch.h"
#include "backend/cpu/vectors/row-inl.h"
#include "backend/cpu/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {
namespace {

template <class T>
class PackedHead {
 public:
  explicit PackedHead(const FusedAttention<T>& call)
      : call_(call),
        units_(call),
        keys_up_(up(call.keys, panel_width<T>)),
        values_up_(up(call.value_width, panel_width<T>)),
        keys_(aligned_array<T>(keys_up_ * call.key_width + 1)),
        values_(aligned_array<T>(keys_up_ * values_up_ + 1)),
        queries_(aligned_array<T>(tile_rows * up(call.key_width, lanes<T>) + 1)),
        scores_(aligned_array<T>(tile_rows * keys_up_ + 1)),
        context_(aligned_array<T>(tile_rows * values_up_ + 1)) {}

  void attend(const HeadOfCall<T>& head, std::size_t batch) {
    if (call_.keys > 0) pack(head);
    for (std::size_t first = 0; first < call_.queries; first += tile_rows) attend_rows(head, batch, first);
  }

 private:
  static constexpr hn::ScalableTag<T> d{};
  static std::size_t up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

  void pack(const HeadOfCall<T>& head) {
    for (std::size_t key = 0; key < call_.keys; key += panel_width<T>) {
      pack_keys(head.k + key * call_.k_at.row, call_.k_at.row, call_.keys - key, call_.key_width,
                keys_.get() + key * call_.key_width);
    }
    pack_values(head.v, call_.v_at.row, 0, call_.keys, call_.value_width, keys_up_, values_.get());
    pack_nothing(call_.keys, keys_up_, call_.value_width, keys_up_, values_.get());
  }

  void attend_rows(const HeadOfCall<T>& head, std::size_t batch, std::size_t first) {
    const std::size_t count = std::min(tile_rows, call_.queries - first);
    const std::size_t keys = keys_seen(call_, batch, first + count - 1);
    const std::size_t depth = up(keys, panel_width<T>);
    for (std::size_t i = 0; i < tile_rows; ++i) {
      const std::size_t query = first + std::min(i, count - 1);
      pack_query(head.q + query * call_.q_at.row, call_.key_width, units_.sign, queries_.get() + i * lanes<T>,
                 tile_rows * lanes<T>);
    }

    for (std::size_t key = 0; key < keys; key += panel_width<T>) {
      multiply_tile<2, false, T>(queries_.get(), keys_.get() + key * call_.key_width, call_.key_width,
                                 scores_.get() + key * tile_rows, nullptr);
    }

    // The softmax in two passes over the whole row, the maximum and the weights.
    T total[tile_rows];
    T zero[tile_rows] = {};
    for (std::size_t i = 0; i < tile_rows; ++i) {
      const ScoreRow<T> row{scores_.get() + i * lanes<T>, tile_rows * lanes<T>, 0, depth / lanes<T>};
      close_unseen(row, KeySpan{0, keys_seen(call_, batch, first + std::min(i, count - 1))}, KeySpan{});
      total[i] = weigh(row, largest_of(row, no_maximum<T>), units_.exponent);
    }

    std::fill_n(context_.get(), tile_rows * values_up_, T{0});
    for (std::size_t column = 0; column < call_.value_width; column += panel_width<T>) {
      multiply_tile<2, true, T>(scores_.get(), values_.get() + column * keys_up_, depth,
                                context_.get() + column * tile_rows, zero);
    }
    for (std::size_t i = 0; i < count; ++i) {
      T* const context = head.context + (first + i) * call_.context_at.row;
      for (std::size_t c = 0; c < call_.value_width; ++c) {
        const T sum = context_[c / lanes<T> * tile_rows * lanes<T> + i * lanes<T> + c % lanes<T>];
        context[c] = total[i] > T{0} ? sum / total[i] : T{0};
      }
    }
  }

  const FusedAttention<T>& call_;
  const ScoreUnits<T> units_;
  std::size_t keys_up_, values_up_;
  AlignedArray<T> keys_, values_, queries_, scores_, context_;
};

template <class T>
void attend_packed(const FusedAttention<T>& call) {
  PackedHead<T> packed(call);
  each_head(call, [&](std::size_t batch, std::size_t head) { packed.attend(HeadOfCall<T>(call, batch, head), batch); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attn {

Rung packed_rung() {
  return {"packed", "keys and values packed, tiles in registers", false,
          [](const FusedAttention<float>& call, Threads&) {
            ATTN_VERSION(attend_packed<float>)
            (call);
          },
          [](const FusedAttention<double>& call, Threads&) {
            ATTN_VERSION(attend_packed<double>)
            (call);
          }};
}

}  // namespace attn
#endif
