#include "explain/geometry/directions.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/math.h"
#include "catch.h"

using namespace attn;

namespace {

// The largest number of matrix·vector − value·vector.
double residual(const VectorList& matrix, double value, const std::vector<double>& vector) {
  double largest = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    double sum = -value * vector[i];
    for (std::size_t j = 0; j < vector.size(); ++j) sum += matrix[i][j] * vector[j];
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

TEST_CASE("eigenvalues of known matrices come out, the largest first", "[explain]") {
  CHECK(symmetric_eigen({{2, 1}, {1, 2}}).values[0] == Approx(3).epsilon(1e-15));
  CHECK(symmetric_eigen({{2, 1}, {1, 2}}).values[1] == Approx(1).epsilon(1e-15));
  const Eigen plain = symmetric_eigen({{1, 0, 0}, {0, 5, 0}, {0, 0, 3}});
  CHECK(plain.values == std::vector<double>{5, 3, 1});
  CHECK(symmetric_eigen({{0, 0}, {0, 0}}).values == std::vector<double>{0, 0});
  // Second differences: 2 − 2·cos(kπ/(n + 1)).
  constexpr std::size_t size = 12;
  VectorList differences(size, std::vector<double>(size, 0));
  for (std::size_t i = 0; i < size; ++i) {
    differences[i][i] = 2;
    if (i > 0) differences[i][i - 1] = differences[i - 1][i] = -1;
  }
  const Eigen found = symmetric_eigen(differences);
  for (std::size_t k = 0; k < size; ++k) {
    const double angle = static_cast<double>(size - k) * std::numbers::pi / (size + 1);
    CHECK(found.values[k] == Approx(2 - 2 * attn::cos(angle)).epsilon(1e-13));
    CHECK(residual(differences, found.values[k], found.vectors[k]) < 1e-14);
  }
}

TEST_CASE("eigenvectors are unit vectors at right angles, and leave no residual", "[explain]") {
  std::uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  };
  for (const std::size_t size : {1, 2, 3, 7, 24}) {
    VectorList matrix(size, std::vector<double>(size, 0));
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i][j] = matrix[j][i] = next();
    }
    const Eigen found = symmetric_eigen(matrix);
    for (std::size_t a = 0; a < size; ++a) {
      CHECK(residual(matrix, found.values[a], found.vectors[a]) < 1e-14 * static_cast<double>(size));
      if (a > 0) CHECK(found.values[a] <= found.values[a - 1]);
      for (std::size_t b = 0; b < size; ++b) {
        CHECK(std::abs(dot(found.vectors[a], found.vectors[b]) - (a == b ? 1 : 0)) < 1e-14);
      }
    }
  }
}

TEST_CASE("one vector alone has its own direction, and none along the other", "[explain]") {
  const Directions found = principal_directions({{0, 3, 4}});
  CHECK(found.first[1] == Approx(0.6).epsilon(1e-15));
  CHECK(found.first[2] == Approx(0.8).epsilon(1e-15));
  CHECK(dot(found.first, found.second) == Approx(0).margin(1e-15));
  CHECK(dot(found.second, found.second) == Approx(1).epsilon(1e-15));
  CHECK(found.first_share == Approx(1).epsilon(1e-15));
  CHECK(found.second_share == 0);
  const Directions of_none = principal_directions({});
  CHECK(of_none.first == std::vector<double>{1, 0});
  CHECK(of_none.second == std::vector<double>{0, 1});
}

TEST_CASE("principal directions are at right angles whatever the vectors are", "[explain]") {
  const VectorList cases[] = {{{0, 0, 0, 0}},
                              {{1, 1, 1, 1}, {2, 2, 2, 2}},
                              {{1e200, 0, 0}, {0, 1e199, 0}},
                              {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}},
                              {{3, 0}, {0, 1}, {-3, 0}, {0, -1}}};
  for (const VectorList& vectors : cases) {
    const Directions found = principal_directions(vectors);
    CHECK(dot(found.first, found.first) == Approx(1).epsilon(1e-14));
    CHECK(dot(found.second, found.second) == Approx(1).epsilon(1e-14));
    CHECK(std::abs(dot(found.first, found.second)) < 1e-7);
    CHECK(found.first_share >= found.second_share);
    CHECK(found.first_share + found.second_share <= 1 + 1e-14);
  }
  const Directions along = principal_directions(cases[4]);
  CHECK(along.first == std::vector<double>{1, 0});
  CHECK(along.first_share == Approx(0.9));
}

TEST_CASE("principal directions of many wide vectors are those of the products of their numbers", "[explain]") {
  std::uint64_t state = 7;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  };
  constexpr std::size_t width = 130;
  VectorList vectors(140, std::vector<double>(width));
  VectorList products(width, std::vector<double>(width, 0));
  for (std::vector<double>& vector : vectors) {
    for (double& number : vector) number = next();
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) products[i][j] += vector[i] * vector[j];
    }
  }
  const Directions found = principal_directions(vectors);
  const Eigen all = symmetric_eigen(products);
  double sum = 0;
  for (const double value : all.values) sum += value;
  CHECK(found.first_share == Approx(all.values[0] / sum).epsilon(1e-9));
  CHECK(found.second_share == Approx(all.values[1] / sum).epsilon(1e-9));
  CHECK(std::abs(dot(found.first, all.vectors[0])) == Approx(1).epsilon(1e-6));
  CHECK(std::abs(dot(found.second, all.vectors[1])) == Approx(1).epsilon(1e-6));
  CHECK(std::abs(dot(found.first, found.second)) < 1e-12);
}

TEST_CASE("of many wide vectors that reach equally far there are two directions all the same", "[explain]") {
  constexpr std::size_t width = 150;
  VectorList vectors(width, std::vector<double>(width, 0));
  for (std::size_t i = 0; i < width; ++i) vectors[i][i] = 1;
  const Directions equal = principal_directions(vectors);
  CHECK(equal.first_share == Approx(1.0 / width));
  CHECK(equal.second_share == Approx(1.0 / width));
  CHECK(std::abs(dot(equal.first, equal.second)) < 1e-12);

  vectors[20][20] = 3;
  vectors[4][4] = 2;
  const Directions found = principal_directions(vectors);
  CHECK(found.first[20] == Approx(1));
  CHECK(found.second[4] == Approx(1));
  CHECK(found.first_share == Approx(9.0 / (9 + 4 + width - 2)));

  for (std::vector<double>& vector : vectors) vector.assign(width, 1);
  const Directions same = principal_directions(vectors);
  CHECK(same.first_share == Approx(1));
  CHECK(same.second_share == 0);
  CHECK(std::abs(dot(same.first, same.second)) < 1e-12);
  CHECK(dot(same.second, same.second) == Approx(1));
}

TEST_CASE("a hull has the outermost points, counterclockwise, and none between", "[explain]") {
  const std::vector<DrawnPoint> square = {{0, 0}, {1, 0}, {0.5, 0.5}, {1, 1}, {0, 1}, {0.5, 0}};
  CHECK(hull(square) == std::vector<std::size_t>{0, 1, 3, 4});
  CHECK(hull({{0, 0}, {1, 1}, {2, 2}}) == std::vector<std::size_t>{0, 2});
  CHECK(hull({{3, 3}, {3, 3}}) == std::vector<std::size_t>{0});
  CHECK(hull({}).empty());
}

TEST_CASE("angles are those of the C library to the last digits", "[base]") {
  const double numbers[] = {0, 1e-300, 1e-9, 0.25, 1, 1.0000001, 3, 1e9, 1e200};
  for (const double x : numbers) {
    for (const double y : numbers) {
      for (const double sign : {1.0, -1.0}) {
        if (x == 0 && y == 0) continue;
        CHECK(attn::atan2(sign * y, x) == Approx(std::atan2(sign * y, x)).epsilon(1e-15).margin(0));
        CHECK(attn::atan2(sign * y, -x) == Approx(std::atan2(sign * y, -x)).epsilon(1e-15).margin(0));
      }
    }
  }
  CHECK(attn::atan2(1, 1) == Approx(std::numbers::pi / 4).epsilon(1e-15));
  CHECK(attn::atan2(1, 0) == std::numbers::pi / 2);
}
