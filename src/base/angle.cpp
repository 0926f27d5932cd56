#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/math.h"

namespace attn {

double atan2(double y, double x) {
  double across = std::abs(y), along = std::abs(x);
  const bool is_steep = across > along;
  if (is_steep) std::swap(across, along);
  if (along == 0 || !std::isfinite(along)) return along == 0 ? 0.0 : along - along;  // NaN
  const double slope = across / along;
  const double length = sqrt(1 + slope * slope);
  const double sine = slope / length, cosine = 1 / length;
  // sin(exact − angle) is what is left but for its cube: from 4/1000 of a radian twice is enough.
  double angle = slope * (std::numbers::pi / 4 + 0.273 * (1 - slope));
  for (int i = 0; i < 3; ++i) angle += sine * cos(angle) - cosine * sin(angle);
  if (is_steep) angle = std::numbers::pi / 2 - angle;
  if (std::signbit(x)) angle = std::numbers::pi - angle;
  return std::copysign(angle, y);
}

}  // namespace attn
