#pragma once

#include <cstddef>

#include "backend/fused.h"

namespace attn {

// Some of the rows that read one key/value head of one sequence. The queries of
// all heads that share it count as one list: row r is query r mod Nq of head
// kv_head · (heads / kv_heads) + r / Nq.
struct FusedRows {
  std::size_t batch = 0, kv_head = 0;
  std::size_t first = 0, last = 0;
};

// Both write the context of the rows (and closed_rows), in memory of O(rows)
// and a block of keys. A row has the same bits in whatever company it is,
// where what stands behind closed cells is finite.

// For many rows: packs keys and values a block at a time, and multiplies tiles
// of registers.
void attend_tiles(const FusedAttention<float>& call, const FusedRows& rows);
void attend_tiles(const FusedAttention<double>& call, const FusedRows& rows);

// For few rows: reads keys and values once, as they lie.
void attend_few(const FusedAttention<float>& call, const FusedRows& rows);
void attend_few(const FusedAttention<double>& call, const FusedRows& rows);

// Works out one row of the context as the definition has it: score by score in
// the order of the keys, everything rounded to T, and nothing behind a closed
// cell is read. Slow, and without memory of its own; here so that the fast
// kernels need not care about infinities and NaN.
// Writes closed_rows, where there is one.
template <class T>
void plain_row(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query);

}  // namespace attn
