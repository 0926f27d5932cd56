#include "tensor/part.h"

#include <numeric>
#include <vector>

#include "catch.h"

using attn::transposed;

TEST_CASE("every number of a matrix that is transposed is where its row and column are exchanged", "[tensor]") {
  const auto rows = GENERATE(1u, 2u, 31u, 32u, 33u, 70u);
  const auto columns = GENERATE(1u, 3u, 32u, 64u, 65u);
  constexpr std::size_t matrices = 2;
  std::vector<double> numbers(matrices * rows * columns);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  const std::vector<double> turned = transposed(numbers, rows, columns);
  REQUIRE(turned.size() == numbers.size());
  CAPTURE(rows, columns);
  std::size_t other = 0;
  for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
    const std::size_t start = matrix * rows * columns;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        if (turned[start + column * rows + row] != numbers[start + row * columns + column]) ++other;
      }
    }
  }
  CHECK(other == 0);
}

TEST_CASE("a part ends where its tensor does, and is told by the key that goes beyond", "[tensor]") {
  const auto fault_of = [](const std::vector<std::size_t>& shape, const attn::TensorPart& part) {
    const auto made = attn::outline_of_part(shape, part);
    return made ? "" : made.faults().front().where;
  };
  attn::TensorPart rows, columns, taken, turned;
  rows.rows = {{1, 3}};
  columns.columns = {{1, 4}};
  taken.take = std::vector<std::size_t>{0, 2, 1};
  turned.is_transposed = true;
  for (const attn::TensorPart& part : {rows, columns, taken, turned}) CHECK(fault_of({3, 4}, part).empty());
  CHECK(fault_of({2, 4}, rows) == "/rows");
  CHECK(fault_of({3, 3}, columns) == "/columns");
  CHECK(fault_of({2, 4}, taken) == "/take/1");
  // A vector has columns alone, and a single number none.
  CHECK(fault_of({4}, columns).empty());
  CHECK(fault_of({4}, rows) == "/rows");
  CHECK(fault_of({4}, taken) == "/take");
  CHECK(fault_of({4}, turned) == "/transpose");
  CHECK(fault_of({}, columns) == "/columns");
  CHECK(fault_of({}, taken) == "/take");
}
