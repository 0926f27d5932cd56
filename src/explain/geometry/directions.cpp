#include "explain/geometry/directions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/math.h"
#include "base/random.h"

namespace attn {
namespace {

using Row = std::vector<double>;

// Turns two rows of numbers into each other.
void turn_pair(double& a, double& b, double cosine, double sine) {
  const double before = a;
  a = cosine * a - sine * b;
  b = sine * before + cosine * b;
}

// Products of every row with every row; of every column with every column, where there are fewer.
VectorList products(const VectorList& vectors, bool of_rows) {
  const std::size_t size = of_rows ? vectors.size() : vectors.front().size();
  VectorList all(size, Row(size, 0));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (of_rows) {
        all[i][j] = dot_product(vectors[i], vectors[j]);
      } else {
        for (const Row& vector : vectors) all[i][j] += vector[i] * vector[j];
      }
    }
  }
  return all;
}

// As a unit vector whose first of the largest numbers is positive. REQUIRES: it is not 0.
void make_unit(Row& vector) {
  const double length = sqrt(dot_product(vector, vector));
  assert(length > 0);
  double largest = 0;
  for (const double number : vector) largest = std::max(largest, std::abs(number));
  const auto leading =
      std::ranges::find_if(vector, [&](double number) { return std::abs(number) >= largest * (1 - 1e-9); });
  const double by = *leading < 0 ? -length : length;
  for (double& number : vector) number /= by;
}

// Some unit vector at a right angle to it: where nothing says which.
Row across(const Row& unit) {
  const auto least = std::ranges::min_element(unit, {}, [](double number) { return std::abs(number); });
  const auto at = static_cast<std::size_t>(least - unit.begin());
  Row other(unit.size(), 0);
  for (std::size_t i = 0; i < unit.size(); ++i) other[i] = (i == at ? 1 : 0) - unit[at] * unit[i];
  make_unit(other);
  return other;
}

// Places in the order of their numbers, equal ones as they stood. For a few: a template for each sort would be larger.
std::vector<std::size_t> in_order_of(std::vector<std::size_t> places, const std::vector<double>& numbers) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    for (std::size_t j = i; j > 0 && numbers[places[j]] < numbers[places[j - 1]]; --j)
      std::swap(places[j], places[j - 1]);
  }
  return places;
}

// Numbers from −½ to ½ that are the same on every machine, and stand in no relation to any vectors.
Row numbers_of_no_kind(std::size_t width) {
  Random random(1);
  Row numbers(width);
  for (double& number : numbers) number = random.uniform() - 0.5;
  return numbers;
}

void add_times(double factor, const Row& other, Row& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * other[i];
}

// Σ (vector·along) · vector.
Row drawn_along(const VectorList& vectors, const Row& along) {
  Row sum(along.size(), 0);
  for (const Row& vector : vectors) add_times(dot_product(vector, along), vector, sum);
  return sum;
}

// What of it is at right angles to these unit vectors: twice, for what rounding left of the first time.
void take_out(const VectorList& units, Row& of) {
  for (int time = 0; time < 2; ++time) {
    for (const Row& unit : units) add_times(-dot_product(unit, of), unit, of);
  }
}

struct Direction {
  Row along;         // a unit vector
  double value = 0;  // Σ (vector·along)²
};

// The direction at right angles to these along which the squares of the vectors are largest. Looked for among
// a few that the vectors lead to (Lanczos 1950), so that it takes time as there are numbers, and not as the cube of the
// width. None where nothing is left.
std::optional<Direction> farthest(const VectorList& vectors, const VectorList& aside) {
  constexpr std::size_t most_led_to = 96;
  const std::size_t width = vectors.front().size();
  VectorList units = aside, led_to;
  Row next = numbers_of_no_kind(width);
  double largest = 0;
  std::vector<double> values, beside;
  while (led_to.size() < most_led_to && units.size() < width) {
    take_out(units, next);
    const double length = sqrt(dot_product(next, next));
    if (!(length > 1e-12 * largest)) break;  // they lead to no others
    if (!led_to.empty()) beside.push_back(length);
    for (double& number : next) number /= length;
    units.push_back(next);
    led_to.push_back(next);
    next = drawn_along(vectors, next);
    values.push_back(dot_product(led_to.back(), next));
    largest = std::max(largest, values.back());
  }
  if (!(largest > 0)) return std::nullopt;
  VectorList matrix(led_to.size(), Row(led_to.size(), 0));
  for (std::size_t i = 0; i < led_to.size(); ++i) {
    matrix[i][i] = values[i];
    if (i > 0) matrix[i][i - 1] = matrix[i - 1][i] = beside[i - 1];
  }
  const Eigen eigen = symmetric_eigen(std::move(matrix));
  Direction found{Row(width, 0), eigen.values[0]};
  for (std::size_t i = 0; i < led_to.size(); ++i) add_times(eigen.vectors[0][i], led_to[i], found.along);
  make_unit(found.along);
  return found;
}

constexpr double about_nothing = 1e-7;  // of the length of the first: rounding alone makes that much

// Of vectors of which some are not 0.
Directions directions_of_many(const VectorList& vectors) {
  double all = 0;
  for (const Row& vector : vectors) all += dot_product(vector, vector);
  Directions found;
  const auto first = farthest(vectors, {});
  assert(first);
  found.first = first->along;
  found.first_share = first->value / all;
  const auto second = farthest(vectors, {first->along});
  const bool is_there = second && second->value > about_nothing * about_nothing * first->value;
  found.second = is_there ? second->along : across(found.first);
  if (is_there) found.second_share = second->value / all;
  return found;
}

std::vector<std::size_t> in_order_of(const std::vector<double>& numbers) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < numbers.size(); ++i) places.push_back(i);
  return in_order_of(std::move(places), numbers);
}

}  // namespace

double dot_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Eigen symmetric_eigen(VectorList matrix) {
  const std::size_t size = matrix.size();
  VectorList vectors(size, Row(size, 0));
  for (std::size_t i = 0; i < size; ++i) vectors[i][i] = 1;
  constexpr int most_sweeps = 64;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double beside = 0, all = 0;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        all += matrix[i][j] * matrix[i][j];
        if (i != j) beside += matrix[i][j] * matrix[i][j];
      }
    }
    if (!(beside > 1e-34 * all)) break;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        if (matrix[p][q] == 0) continue;
        const double slope = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
        const double tangent = (slope < 0 ? -1 : 1) / (std::abs(slope) + sqrt(slope * slope + 1));
        const double cosine = 1 / sqrt(tangent * tangent + 1);
        const double sine = tangent * cosine;
        for (std::size_t i = 0; i < size; ++i) turn_pair(matrix[i][p], matrix[i][q], cosine, sine);
        for (std::size_t i = 0; i < size; ++i) turn_pair(matrix[p][i], matrix[q][i], cosine, sine);
        for (std::size_t i = 0; i < size; ++i) turn_pair(vectors[p][i], vectors[q][i], cosine, sine);
        matrix[p][q] = matrix[q][p] = 0;
      }
    }
  }
  std::vector<double> falling;
  for (std::size_t i = 0; i < size; ++i) falling.push_back(-matrix[i][i]);
  Eigen eigen;
  for (const std::size_t i : in_order_of(falling)) {
    eigen.values.push_back(matrix[i][i]);
    eigen.vectors.push_back(std::move(vectors[i]));
  }
  return eigen;
}

Directions principal_directions(VectorList vectors) {
  const std::size_t width = vectors.empty() ? 2 : vectors.front().size();
  double largest = 0;
  for (const Row& vector : vectors) {
    for (const double number : vector) largest = std::max(largest, std::abs(number));
  }
  Directions found;
  found.first = Row(width, 0);
  found.first[0] = 1;
  found.second = across(found.first);
  if (largest == 0) return found;
  for (Row& vector : vectors) {  // squares of any numbers are finite then
    for (double& number : vector) number /= largest;
  }
  constexpr std::size_t most_turned = 128;  // rows of a matrix: turning each pair of them takes a second for 200
  if (std::min(vectors.size(), width) > most_turned) return directions_of_many(vectors);
  const bool of_rows = vectors.size() < width;
  const Eigen eigen = symmetric_eigen(products(vectors, of_rows));
  const double all = std::accumulate(eigen.values.begin(), eigen.values.end(), 0.0);
  // With fewer vectors than numbers in each a direction is the sum of them that the products tell.
  const auto direction = [&](std::size_t at) {
    if (!of_rows) return eigen.vectors[at];
    Row sum(width, 0);
    for (std::size_t i = 0; i < vectors.size(); ++i) add_times(eigen.vectors[at][i], vectors[i], sum);
    return sum;
  };
  const auto is_there = [&](std::size_t at) {
    return at < eigen.values.size() && eigen.values[at] > about_nothing * about_nothing * eigen.values[0];
  };
  found.first = direction(0);
  make_unit(found.first);
  found.first_share = eigen.values[0] / all;
  found.second = is_there(1) ? direction(1) : across(found.first);
  if (is_there(1)) found.second_share = eigen.values[1] / all;
  make_unit(found.second);
  return found;
}

std::vector<std::size_t> hull(const std::vector<DrawnPoint>& points) {
  std::vector<double> across_of, height_of;
  for (const DrawnPoint& point : points) {
    across_of.push_back(point.x);
    height_of.push_back(point.y);
  }
  std::vector<std::size_t> order = in_order_of(in_order_of(height_of), across_of);
  const auto is_same = [&](std::size_t a, std::size_t b) {
    return points[a].x == points[b].x && points[a].y == points[b].y;
  };
  order.erase(std::unique(order.begin(), order.end(), is_same), order.end());
  if (order.size() < 3) return order;
  const auto turns_left = [&](std::size_t a, std::size_t b, std::size_t c) {
    const DrawnPoint &p = points[a], &q = points[b], &r = points[c];
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0;
  };
  // Below from left to right, then above from right to left.
  std::vector<std::size_t> corners;
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = corners.size();
    for (const std::size_t next : order) {
      while (corners.size() >= first + 2 && !turns_left(corners[corners.size() - 2], corners.back(), next)) {
        corners.pop_back();
      }
      corners.push_back(next);
    }
    corners.pop_back();  // the other side begins with it
    std::ranges::reverse(order);
  }
  return corners;
}

}  // namespace attn
