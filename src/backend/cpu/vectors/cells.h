#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/vectors/kernels.h"
#include "backend/fused.h"
#include "backend/sight.h"

namespace attn {

// One query's cells of the scores: which are open, and what is added to them.
template <class T>
struct CellRow {
  Sight seen;
  const std::uint8_t* open = nullptr;  // at key 0
  const T* bias = nullptr;
};

template <class T>
CellRow<T> cell_row(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query) {
  CellRow<T> row{sight(call, batch, query)};
  if (call.open != nullptr) row.open = call.open + call.open_at.to_row(batch, head, query);
  if (call.bias != nullptr) row.bias = call.bias + call.bias_at.to_row(batch, head, query);
  return row;
}

// How many query heads share a key/value head. (Divisions are what takes time in
// the smallest calls.)
template <class T>
std::size_t sharing_heads(const FusedAttention<T>& call) {
  return call.heads == call.kv_heads ? 1 : call.heads / call.kv_heads;
}

// The query of row r of those that share a key/value head; and the one of the
// next row, without dividing again.
struct FusedQuery {
  std::size_t head = 0, query = 0;

  template <class T>
  FusedQuery(const FusedAttention<T>& call, std::size_t kv_head, std::size_t row)
      : head(kv_head * sharing_heads(call)), query(row) {
    if (row < call.queries) return;
    head += row / call.queries;
    query = row % call.queries;
  }

  template <class T>
  void go_on(const FusedAttention<T>& call) {
    if (++query == call.queries) query = 0, ++head;
  }
};

// Weights are powers of 2: a = 2^((s − maximum) · exponent), where s is the product
// of a query and a key, or, where softcap or bias come between, the score after
// them. `sign` is what the queries are multiplied by beforehand, so that the
// largest s is the largest score.
template <class T>
struct ScoreUnits {
  bool reshaped;     // s is the score after scale, cap and bias
  T sign, exponent;  // exponent > 0
  T scale, cap_inverse, cap;
  double score_of;  // score = s · score_of, up to sign
  double log2_base;

  explicit ScoreUnits(const FusedAttention<T>& call) {
    reshaped = call.softcap != 0 || call.bias != nullptr;
    const bool zero = call.scale == 0 && !reshaped;
    sign = reshaped ? T{1} : static_cast<T>((call.scale > 0) - (call.scale < 0));
    score_of = reshaped || zero ? 1 : std::abs(call.scale);
    log2_base = 1.4426950408889634 * call.log_base;  // log₂e · ln b = log₂b
    exponent = static_cast<T>(log2_base * score_of);
    scale = static_cast<T>(call.scale);
    cap = static_cast<T>(call.softcap);
    cap_inverse = call.softcap == 0 ? T{0} : static_cast<T>(call.scale / call.softcap);
  }
};

// Rows worked out where they stand, as there is no memory for packed blocks.
template <class T>
void plain_rows(const FusedAttention<T>& call, const FusedRows& rows) {
  FusedQuery at(call, rows.kv_head, rows.first);
  for (std::size_t row = rows.first; row < rows.last; ++row, at.go_on(call)) {
    plain_row(call, rows.batch, at.head, at.query);
  }
}

// Keys [first, last) of a block of keys, counted from the block's first.
struct KeySpan {
  std::size_t first = 0, last = 0;

  bool empty() const { return first >= last; }
};

// What of [first, last) lies in the block of `count` keys from `start` on.
inline KeySpan within_block(std::size_t first, std::size_t last, std::size_t start, std::size_t count) {
  const auto place = [&](std::size_t key) { return key < start ? 0 : std::min(key - start, count); };
  return {place(first), place(last)};
}

// What a given mask does to some cells: those of all rows that were added.
struct Masked {
  bool some_open = false, some_closed = false;

  // REQUIRES: cells.open.
  template <class T>
  void add(const CellRow<T>& cells, CellStrides at, std::size_t start, KeySpan keys) {
    const std::uint8_t* const open = cells.open + at.to_key(start);
    // Without a way out early, so that the compiler takes many at once.
    std::uint8_t any = 0, zero = 0;
    for (std::size_t key = keys.first; key < keys.last; ++key) {
      const std::uint8_t cell = at.key == 1 ? open[key] : open[at.to_key(key)];
      any |= cell;
      zero |= static_cast<std::uint8_t>(cell == 0);
    }
    some_open |= any != 0;
    some_closed |= zero != 0;
  }
};

}  // namespace attn
