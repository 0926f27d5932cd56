#pragma once

#include "backend/cuda/cells/grid.h"

// Operations that only move numbers: Given, Copy, Split, Merge, Join, Repeat, Pick.

namespace attn::cuda {

// The operand's number under the same index. A Split is one too: seen from the
// result, the axis that is split is one step for each of its parts.
struct CopyCell {
  Reads reads;
  bool rounds = false;  // Given and Copy round to the dtype; a Split does not

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    return rounds ? static_cast<double>(reads.read<T>(0, index)) : reads.read<double>(0, index);
  }
};

// Along `axis` the index is outer · inner_size + inner.
struct MergeCell {
  Reads reads;
  int axis = 0;
  std::size_t inner_size = 1, outer_step = 0, inner_step = 0;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const std::size_t merged = index.along[axis];
    return reads.at(0, index)[merged / inner_size * outer_step + merged % inner_size * inner_step];
  }
};

// Along `axis` one operand follows another.
struct JoinCell {
  Reads reads;
  int axis = 0;
  std::size_t sizes[most_operands] = {};  // of each operand along the axis

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    Index index = reads.grid.index(at);
    int from = 0;
    while (index.along[axis] >= sizes[from]) index.along[axis] -= sizes[from++];
    return reads.read<double>(from, index);
  }
};

// Along `axis` neighbours share a number, or, tiled, all come round again.
struct RepeatCell {
  Reads reads;
  int axis = 0;
  std::size_t size = 1, times = 1;
  bool tiled = false;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    Index index = reads.grid.index(at);
    index.along[axis] = tiled ? index.along[axis] % size : index.along[axis] / times;
    return reads.read<double>(0, index);
  }
};

// The row of a table that `rows` says; 0 where that is −1.
struct PickCell {
  Reads reads;
  Strided<std::int64_t> rows;
  std::size_t row_step = 0;  // of the table

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const std::int64_t row = *rows.at(index, reads.grid.rank);
    return row < 0 ? 0 : reads.at(0, index)[static_cast<std::size_t>(row) * row_step];
  }
};

}  // namespace attn::cuda
