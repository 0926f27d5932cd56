#include "compare/closeness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/dtype.h"

namespace attn {

bool Tolerance::accepts(double expected, double got) const {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (expected == got) return true;
  if (std::isinf(expected) || std::isinf(got)) return false;
  return std::abs(got - expected) <= std::max(absolute, relative * std::abs(expected));
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

bool all_accepted(const Tensor<double>& first, const Tensor<double>& second, const Tolerance& tolerance,
                  double factor) {
  const Tolerance scaled{tolerance.absolute * std::abs(factor), tolerance.relative};
  for (std::size_t cell = 0; cell < first.size(); ++cell) {
    if (!scaled.accepts(factor * first[cell], second[cell])) return false;
  }
  return true;
}

Closeness usual_closeness(const std::string& dtype, const std::string& other) {
  const auto usual = [](const std::string& word) {
    const Dtype known = dtype_named(word).value_or(Dtype::f64);
    return known == Dtype::f64 ? 1e-9 : known == Dtype::f32 ? 1e-4 : known == Dtype::f16 ? 1e-2 : 5e-2;
  };
  const double most = std::max(usual(dtype), usual(other));
  return {.absolute = 0, .relative = most, .typical = most};
}

Tolerance tolerance_of(const Tensor<double>& step, const Closeness& closeness) {
  // The largest of each row, but for what stands for −∞.
  const std::size_t columns = step.shape().rank() == 0 ? 1 : step.shape().back().size;
  std::vector<double> largest;
  for (std::size_t row = 0; closeness.typical != 0 && row < step.size(); row += columns) {
    double most = 0;
    for (const double number : step.data().subspan(row, columns)) {
      if (std::isfinite(number) && number > practically_minus_infinity) most = std::max(most, std::abs(number));
    }
    if (most > 0) largest.push_back(most);
  }
  const auto middle = largest.begin() + static_cast<std::ptrdiff_t>(largest.size() / 2);
  std::ranges::nth_element(largest, middle);
  const double usual = largest.empty() ? 1 : *middle;
  return {std::max(closeness.absolute, closeness.typical * usual), closeness.relative};
}

}  // namespace attn
