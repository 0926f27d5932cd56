#include "bench/spread.h"

#include <algorithm>
#include <cmath>

namespace attn {
namespace {

// REQUIRES: sorted, not empty, 0 <= part <= 1.
double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double between = place - static_cast<double>(below);
  return sorted[below] + between * (sorted[above] - sorted[below]);
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {values.size(),         values.front(),         quantile(values, 0.25),
          quantile(values, 0.5), quantile(values, 0.75), values.back()};
}

}  // namespace attn
