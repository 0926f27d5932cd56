#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "formats/html/base64.h"
#include "formats/html/elements.h"

namespace attn {
namespace {

// The bytes of doubles, the lowest first, in base64.
std::string in_base64(const double* numbers, std::size_t count) {
  Base64 text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(numbers[i]);
    for (int byte = 0; byte < 8; ++byte) text.add(static_cast<std::uint8_t>(bits >> (8 * byte)));
  }
  return text.text();
}

// "4-1000 1003-1003", counted from 1: the closed cells of a row.
std::string closed_runs(const Matrix& matrix, std::size_t row, std::size_t columns) {
  std::string runs;
  for (std::size_t begin = 0; begin < columns; ++begin) {
    if (!matrix.is_closed(row, begin)) continue;
    std::size_t end = begin;
    while (end < columns && matrix.is_closed(row, end)) ++end;
    runs += fmt::format("{}{}-{}", runs.empty() ? "" : " ", begin + 1, end);
    begin = end;
  }
  return runs;
}

}  // namespace

bool is_drawn_late(const Matrix& matrix, Extent shown) {
  constexpr std::size_t most_written_out = 20'000;
  return is_sourced(matrix) && shown.rows * shown.columns > most_written_out;
}

std::string late_format(const Matrix& matrix) {
  return fmt::format(R"( data-decimals="{}"{})", matrix.format.decimals,
                     matrix.format.scientific ? " data-scientific" : "");
}

std::string late_cells(const Matrix& matrix, std::size_t row, std::size_t columns) {
  const double* numbers = matrix.cells.data() + row * matrix.columns();
  // Many a row ends in one number over and over: what the mask closes.
  std::size_t count = columns;
  const auto same = [&](std::size_t a, std::size_t b) {
    return std::bit_cast<std::uint64_t>(numbers[a]) == std::bit_cast<std::uint64_t>(numbers[b]);
  };
  while (count > 1 && same(count - 2, count - 1)) --count;
  const std::string closed = closed_runs(matrix, row, columns);
  return fmt::format(R"( data-numbers="{}"{})", in_base64(numbers, count),
                     closed.empty() ? "" : fmt::format(R"( data-closed="{}")", closed));
}

}  // namespace attn
