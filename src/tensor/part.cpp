#include "tensor/part.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "tensor/shape.h"

namespace attn {
namespace {

Diagnostic no_part(std::string where, std::string message, Help help) {
  return {.code = "out-of-range", .where = std::move(where), .message = std::move(message), .help = std::move(help)};
}

std::string sizes_of(std::span<const std::size_t> shape) { return spelled_sizes({shape.begin(), shape.end()}); }

std::optional<Diagnostic> fault_of_range(const std::string& what, const TensorPart::Range& range, std::size_t size,
                                         std::span<const std::size_t> shape) {
  if (range.to <= size) return std::nullopt;
  return no_part("/" + what,
                 "is " + sizes_of(shape) + ", and the part has " + what + " up to " + std::to_string(range.to),
                 what + " count from 0, and the last is not taken: all are [0, " + std::to_string(size) + "]");
}

std::optional<Diagnostic> fault_of_taken(const std::vector<std::size_t>& taken, std::size_t height,
                                         std::span<const std::size_t> shape) {
  const auto beyond = std::ranges::find_if(taken, [&](std::size_t row) { return row >= height; });
  if (beyond == taken.end()) return std::nullopt;
  return no_part("/take/" + std::to_string(beyond - taken.begin()),
                 "is " + sizes_of(shape) + ", and the part has row " + std::to_string(*beyond),
                 "rows count from 0, so that the last is one less than there are");
}

// A vector has no rows, and a single number nothing to take a part of.
std::optional<Diagnostic> fault_of_rank(std::size_t rank, const TensorPart& part) {
  const char* const key = part.rows ? "/rows" : part.take ? "/take" : part.is_transposed ? "/transpose" : "/columns";
  if (rank == 0) return no_part(key, "is a single number, of which there is no part", "leave it out");
  if (rank > 1 || std::string_view(key) == "/columns") return std::nullopt;
  return no_part(key, "is a vector, which has no rows", R"(its numbers are its columns: "columns": [0, 4])");
}

}  // namespace

Result<PartOutline> outline_of_part(std::span<const std::size_t> shape, const TensorPart& part) {
  PartOutline made;
  made.shape.assign(shape.begin(), shape.end());
  const std::size_t rank = shape.size();
  if (rank > 0) made.width = shape[rank - 1];
  if (rank > 1) made.height = shape[rank - 2];
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) made.matrices *= shape[axis];
  made.rows = part.rows.value_or(TensorPart::Range{0, made.height});
  made.columns = part.columns.value_or(TensorPart::Range{0, made.width});
  made.taken = part.take.value_or(std::vector<std::size_t>());
  made.is_transposed = part.is_transposed;
  made.is_whole = part.is_whole();
  if (made.is_whole) return made;

  if (auto fault = fault_of_rank(rank, part)) return *std::move(fault);
  if (auto fault = fault_of_range("rows", made.rows, made.height, shape)) return *std::move(fault);
  if (auto fault = fault_of_range("columns", made.columns, made.width, shape)) return *std::move(fault);
  if (auto fault = fault_of_taken(made.taken, made.height, shape)) return *std::move(fault);
  made.shape[rank - 1] = made.column_count();
  if (rank > 1) made.shape[rank - 2] = made.row_count();
  if (made.is_transposed) std::swap(made.shape[rank - 2], made.shape[rank - 1]);
  return made;
}

std::vector<double> transposed(std::span<const double> numbers, std::size_t rows, std::size_t columns) {
  constexpr std::size_t side = 32;  // squares that stay in the cache
  std::vector<double> turned(numbers.size());
  for (std::size_t start = 0; start < numbers.size(); start += rows * columns) {
    for (std::size_t top = 0; top < rows; top += side) {
      for (std::size_t left = 0; left < columns; left += side) {
        for (std::size_t row = top; row < std::min(rows, top + side); ++row) {
          for (std::size_t column = left; column < std::min(columns, left + side); ++column) {
            turned[start + column * rows + row] = numbers[start + row * columns + column];
          }
        }
      }
    }
  }
  return turned;
}

}  // namespace attn
