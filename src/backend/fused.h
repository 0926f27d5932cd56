#pragma once

#include <cstddef>
#include <cstdint>

namespace attn {

// How far apart neighbours stand along each axis of [batch, head, row, feature],
// in numbers; features follow one another. 0 where an axis is broadcast.
struct Strides {
  std::size_t batch = 0, head = 0, row = 0;

  // From the first number to the first of a row.
  std::size_t to(std::size_t of_batch, std::size_t of_head, std::size_t of_row = 0) const {
    return of_batch * batch + of_head * head + of_row * row;
  }
};

// The same for something that has a number a cell of the scores. What depends on
// the distance key − query alone can be one row of numbers for all distances, the
// first cell somewhere within: query −1, key 1.
struct CellStrides {
  std::ptrdiff_t batch = 0, head = 0, query = 0, key = 0;

  // From the first of all cells to the first of a query's.
  std::ptrdiff_t to_row(std::size_t of_batch, std::size_t of_head, std::size_t of_query) const {
    return static_cast<std::ptrdiff_t>(of_batch) * batch + static_cast<std::ptrdiff_t>(of_head) * head +
           static_cast<std::ptrdiff_t>(of_query) * query;
  }
  // From the first of a query's cells to that of a key.
  std::ptrdiff_t to_key(std::size_t of_key) const { return static_cast<std::ptrdiff_t>(of_key) * key; }
};

// Attention as one computation, from queries, keys and values to the context,
// with none of the steps between kept: softmax(Q·Kᵀ·scale)·V (Vaswani et al.
// 2017, equation 1), worked out a block of keys at a time (the online softmax:
// Milakov & Gimelshein 2018, section 3; Dao et al. 2022, algorithm 1).
//
// In this order, as the recipe in model/ has it:
//
//   score   s = scale · q_i·k_j
//   cap     s = softcap · tanh(s / softcap), where softcap is not 0
//   bias    s = s + bias, where there is one; −∞ closes a cell
//   weights a = e^(s − maximum) over the open cells of the row, divided by their
//           sum, in which a row's sink counts as one more score
//
// A cell is open where all of these let it be: the key is one of the sequence's
// own (lengths), the window lets the query see it, and `open` is not 0 there.
// The last `appended` keys are open to everybody but where `open` or `bias` says otherwise. What stands behind
// a closed cell is never part of the result, NaN and infinities included. A row
// without an open cell gives a context of 0.
//
// The same call gives the same bits for any number of threads, and a sequence
// the same bits in any batch; other instruction sets may give other bits.
template <class T>
struct FusedAttention {
  std::size_t batch = 1;
  std::size_t heads = 1;     // of queries
  std::size_t kv_heads = 1;  // of keys and values, divides heads; head h reads h / (heads / kv_heads)
  std::size_t queries = 0, keys = 0;
  std::size_t key_width = 0, value_width = 0;  // d_k, d_v

  const T* q = nullptr;  // [batch, head, query, d_k]
  const T* k = nullptr;  // [batch, kv head, key, d_k]
  const T* v = nullptr;  // [batch, kv head, key, d_v]
  T* context = nullptr;  // [batch, head, query, d_v]
  Strides q_at, k_at, v_at, context_at;

  double scale = 1;
  double softcap = 0;           // 0 for none
  double log_base = 1;          // ln b, where powers of b take the place of e's
  const T* sinks = nullptr;     // [head], or null
  std::size_t sink_stride = 0;  // from one head's sink to the next

  // Query i of sequence b stands at position p = i + offsets[b], key j at j. It
  // sees the keys from p − left to p + right; −1 is no limit. Causal is right = 0.
  std::int64_t left = -1, right = -1;
  const std::int64_t* offsets = nullptr;  // [batch], or null: all 0
  const std::size_t* lengths = nullptr;   // [batch], or null: how many keys, appended ones aside, are valid
  std::size_t appended = 0;

  const std::uint8_t* open = nullptr;  // [batch, head, query, key], or null
  CellStrides open_at;
  const T* bias = nullptr;  // [batch, head, query, key], or null
  CellStrides bias_at;

  std::uint8_t* closed_rows = nullptr;  // [batch, head, query] without gaps, or null; set to 1 where no cell is open
};

}  // namespace attn
