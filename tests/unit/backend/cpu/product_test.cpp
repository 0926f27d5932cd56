#include "backend/cpu/product.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "backend/cpu/instructions.h"
#include "backend/cpu/threads.h"
#include "base/random.h"
#include "catch.h"

namespace attn {
namespace {

// x [rows, depth] and w [depth, columns], each with numbers between its rows that belong to neither.
template <class T>
struct Factors {
  Factors(std::size_t r, std::size_t d, std::size_t c)
      : rows(r), depth(d), columns(c), x(numbers(r * (d + 3))), w(numbers(d * (c + 5))), y(r * (c + 2), T{77}) {}

  static std::vector<T> numbers(std::size_t count) {
    Random random(count);
    std::vector<T> all(count);
    for (T& one : all) one = static_cast<T>(random.normal());
    return all;
  }

  void multiply(Threads& threads) {
    const PackedMatrix<T> packed(LyingMatrix<T>{w.data(), depth, columns, columns + 5}, threads);
    multiply_on({rows, x.data(), y.data(), depth + 3, columns + 2}, packed, threads);
  }

  // How far the number is from the exact one, in steps of T at the sum of its products' sizes.
  double away(std::size_t row, std::size_t column) const {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      const double product =
          static_cast<double>(x[row * (depth + 3) + i]) * static_cast<double>(w[i * (columns + 5) + column]);
      sum += product;
      size += std::abs(product);
    }
    const double unit = std::ldexp(1.0, std::is_same_v<T, float> ? -24 : -53);
    return std::abs(sum - static_cast<double>(y[row * (columns + 2) + column])) / (size * unit);
  }

  std::size_t rows, depth, columns;
  std::vector<T> x, w, y;
};

// One rounding for each of the sums, and of the reference as many again.
template <class T>
void check_product(std::size_t rows, std::size_t depth, std::size_t columns, Threads& threads) {
  Factors<T> factors(rows, depth, columns);
  factors.multiply(threads);
  double worst = 0;
  bool gaps_kept = true;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) worst = std::max(worst, factors.away(row, column));
    gaps_kept = gaps_kept && factors.y[row * (columns + 2) + columns] == T{77};
  }
  INFO(rows << "×" << depth << " by " << depth << "×" << columns);
  CHECK(worst <= 2 * static_cast<double>(depth));
  CHECK(gaps_kept);
}

TEST_CASE("products of every shape are right, and write nothing beside their result", "[cpu]") {
  Threads threads(2);
  for (const std::string& set : instruction_sets()) {
    INFO(set);
    REQUIRE(use_instruction_set(set));
    for (const std::size_t rows : {1, 5, 12, 13, 50}) {
      for (const std::size_t depth : {1, 3, 16, 17, 511, 513}) {
        for (const std::size_t columns : {1, 7, 16, 17, 33}) check_product<float>(rows, depth, columns, threads);
      }
    }
    check_product<double>(13, 513, 17, threads);
    check_product<double>(1, 8, 9, threads);
  }
  use_instruction_set("");
}

TEST_CASE("a product has the same bits for any number of threads, and a row whatever rows are beside it", "[cpu]") {
  Threads one(1);
  Factors<float> factors(100, 70, 40);
  factors.multiply(one);
  const std::vector<float> expected = factors.y;
  for (const std::size_t count : {2, 3, 16}) {
    Threads threads(count);
    factors.y.assign(factors.y.size(), 77.0F);
    factors.multiply(threads);
    CHECK(factors.y == expected);
  }
  factors.rows = 7;
  factors.y.assign(factors.y.size(), 77.0F);
  factors.multiply(one);
  for (std::size_t i = 0; i < 7 * 42; ++i) CHECK(factors.y[i] == expected[i]);
}

}  // namespace
}  // namespace attn
