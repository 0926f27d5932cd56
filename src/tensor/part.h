#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace attn {

// The part of a stored tensor that is meant. It is about the last two axes, rows and columns, and
// the same for each index of those before them; a tensor of one axis has columns alone. Indices
// count from 0.
struct TensorPart {
  struct Range {
    std::size_t from = 0, to = 0;  // half open
  };
  std::optional<Range> rows, columns;
  std::optional<std::vector<std::size_t>> take;  // rows in this order; not together with `rows`
  bool is_transposed = false;                    // rows and columns exchanged, last of all

  bool is_whole() const { return !rows && !columns && !take && !is_transposed; }
};

// What a part is of a tensor of some shape.
struct PartOutline {
  std::size_t matrices = 1;           // of the axes before the last two
  std::size_t height = 1, width = 1;  // of each, in the tensor
  TensorPart::Range rows, columns;    // that are taken of each
  std::vector<std::size_t> taken;     // the rows in another order; empty where that is theirs
  bool is_whole = true, is_transposed = false;
  std::vector<std::size_t> shape;  // of the part, transposed where it is

  std::size_t row_count() const { return taken.empty() ? rows.to - rows.from : taken.size(); }
  std::size_t column_count() const { return columns.to - columns.from; }
  std::size_t row(std::size_t i) const { return taken.empty() ? rows.from + i : taken[i]; }
};

// Refused where there is no such part: the place is "/rows", "/columns", "/take/3" or "/transpose".
Result<PartOutline> outline_of_part(std::span<const std::size_t> shape, const TensorPart& part);

// The numbers with the last two axes exchanged. `rows`, `columns`: of each matrix as it was.
std::vector<double> transposed(std::span<const double> numbers, std::size_t rows, std::size_t columns);

}  // namespace attn
