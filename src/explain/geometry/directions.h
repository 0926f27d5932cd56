#pragma once

#include <cstddef>
#include <vector>

// Where vectors reach farthest, and which points stand outermost.

namespace attn {

struct DrawnPoint {
  double x = 0, y = 0;
};

// Σ aᵢ·bᵢ, in the order of i. REQUIRES: b is as wide as a.
double dot_product(const std::vector<double>& a, const std::vector<double>& b);

using VectorList = std::vector<std::vector<double>>;

// A symmetric matrix as Σ value · vector · vectorᵀ, the largest value first; the vectors
// are unit vectors at right angles. Worked out by rotations that put one number to 0
// each (Jacobi 1846): the same bits on every machine, residuals of a few ulps of the largest value.
struct Eigen {
  std::vector<double> values;
  VectorList vectors;
};
Eigen symmetric_eigen(VectorList matrix);

// The unit vector along which the squares of the vectors are largest, about zero, and that at a
// right angle to it along which the rest is; and which share of all squares is along each. The first of
// the largest numbers of each is positive. Of many wide vectors it takes time as they have numbers.
// REQUIRES: all are finite and of one width, at least 2.
struct Directions {
  std::vector<double> first, second;
  double first_share = 0, second_share = 0;
};
Directions principal_directions(VectorList vectors);

// The corners of the smallest convex polygon around these points, counterclockwise; of points on a
// line its two ends, of one place one.
std::vector<std::size_t> hull(const std::vector<DrawnPoint>& points);

}  // namespace attn
