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
