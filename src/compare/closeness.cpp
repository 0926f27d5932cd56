#include "compare/closeness.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace attn {

Closeness usual_closeness(const std::string& dtype, const std::string& other) {
  const auto usual = [](const std::string& word) {
    const auto known = dtype_named(word);
    if (!known) return 1e-9;
    switch (*known) {
      case Dtype::f64:
        return 1e-9;
      case Dtype::f32:
        return 1e-4;
      case Dtype::f16:
        return 1e-2;
      case Dtype::bf16:
        return 5e-2;
    }
    return 1e-9;
  };
  const double most = std::max(usual(dtype), usual(other));
  return {.absolute = 0, .relative = most, .typical = most};
}

Tolerance tolerance_of(const Tensor<double>& step, const Closeness& closeness) {
  Tolerance tolerance{closeness.absolute, closeness.relative};
  if (closeness.typical == 0) return tolerance;
  // The largest of each row, but for what stands for −∞.
  const std::size_t columns = step.shape().rank() == 0 ? 1 : step.shape().back().size;
  std::vector<double> largest;
  for (std::size_t row = 0; row < step.size(); row += columns) {
    double most = 0;
    for (const double number : step.data().subspan(row, columns)) {
      if (std::isfinite(number) && number > practically_minus_infinity) most = std::max(most, std::abs(number));
    }
    if (most > 0) largest.push_back(most);
  }
  if (largest.empty()) {
    tolerance.absolute = std::max(tolerance.absolute, closeness.typical);
    return tolerance;
  }
  const auto middle = largest.begin() + static_cast<std::ptrdiff_t>(largest.size() / 2);
  std::ranges::nth_element(largest, middle);
  tolerance.absolute = std::max(tolerance.absolute, closeness.typical * *middle);
  return tolerance;
}

}  // namespace attn
