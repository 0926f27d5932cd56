#include "trace/bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/math.h"
#include "trace/enclosure.h"

namespace attn {
namespace {

// What is no number could be any.
Tensor<Interval> as_points(const Tensor<double>& numbers) {
  Tensor<Interval> points(numbers.shape());
  std::ranges::transform(numbers.data(), points.data().begin(), [](double number) {
    return std::isnan(number) ? Interval(-infinity, infinity) : Interval(number);
  });
  return points;
}

bool has_nan(const Tensor<double>& numbers) {
  return std::ranges::any_of(numbers.data(), [](double number) { return std::isnan(number); });
}

class Exactly final : public Policy<Interval> {
 public:
  explicit Exactly(std::size_t lines) : computed_(lines) {}

  SharedTensor<Interval> make(const Recipe& recipe, std::size_t line, const Values<Interval>& carried) override {
    const auto& given = recipe.instruction(line).given;
    if (!given || !has_nan(given->points.numbers())) return Policy::make(recipe, line, carried);
    return std::make_shared<const Tensor<Interval>>(as_points(given->points.numbers()));
  }

  Tensor<Interval> compute(const Recipe& recipe, std::size_t line, const Values<Interval>& carried) override {
    return enclosed_exactly(recipe, line, computed_, carried);
  }

  bool go_on(std::size_t line, const Evaluation<Interval>& evaluation, bool) override {
    computed_[line] = evaluation.computed[line];
    return true;
  }

 private:
  Values<Interval> computed_;
};

Tensor<double> distances(const Tensor<Interval>& exact, const Tensor<double>& computed) {
  Tensor<double> all(computed.shape());
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = farthest(exact[at], computed[at]);
  return all;
}

// What exact arithmetic makes of the numbers that the line reads.
Tensor<Interval> made_exactly(const Recipe& recipe, std::size_t line, const Values<double>& computed) {
  const std::vector<std::size_t> read = lines_read_by(recipe, line);
  Values<Interval> points(recipe.size());
  std::vector<Tensor<Interval>> own;
  own.reserve(read.size());
  for (const std::size_t operand : read) {
    if (points[operand]) continue;
    own.push_back(as_points(*computed[operand]));
    points[operand] = &own.back();
  }
  return run_line_exactly(recipe, line, points);
}

}  // namespace

Evaluation<Interval> worked_out_exactly(const Recipe& recipe) {
  Exactly policy(recipe.size());
  return evaluate(recipe, policy);
}

std::vector<Bounds> bounds_of(const Recipe& recipe, const Values<double>& computed) {
  const Evaluation<Interval> exact = worked_out_exactly(recipe);
  std::vector<Bounds> all;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Tensor<double>& numbers = *computed[line];
    Bounds& bounds = all.emplace_back(Bounds{Tensor<double>(numbers.shape()), distances(exact.result(line), numbers)});
    if (!recipe.instruction(line).given) bounds.own = distances(made_exactly(recipe, line, computed), numbers);
  }
  return all;
}

double farthest(const Interval& exact, double computed) {
  if (std::isnan(computed)) return infinity;
  if (exact == Interval(computed)) return 0;
  return std::max(sum_above(exact.high, -computed), sum_above(computed, -exact.low));
}

int good_digits(double number, double bound) {
  const double size = std::abs(number);
  if (!(bound < size) || std::isinf(size)) return 0;
  const double ten = log(10.0);
  double leading = std::floor(log(size) / ten + 1e-12);
  if (pow(10, leading) > size) --leading;
  const double good = std::floor(leading + 1 - (log(2.0) + log(bound)) / ten - 1e-12);
  return static_cast<int>(std::clamp(good, 0.0, static_cast<double>(Goodness::most)));
}

void Goodness::add(std::size_t cell, double number, double bound) {
  if (bound == 0) return;
  if (bound == infinity) {
    ++unknown;
    return;
  }
  absolute = std::max(absolute, bound);
  // Of most numbers powers of two tell that they are not the worst.
  const auto exponent = [](double x) { return static_cast<double>(std::ilogb(x)); };
  if (!is_exact && number != 0 && 0.301 * (exponent(number) - exponent(bound) - 2) > digits + 1) return;
  const int good = good_digits(number, bound);
  if (is_exact || good < digits) worst = cell;
  digits = is_exact ? good : std::min(digits, good);
  is_exact = false;
}

Goodness goodness_of(const Tensor<double>& numbers, const Tensor<double>& bounds) {
  Goodness all;
  for (std::size_t cell = 0; cell < bounds.size(); ++cell) all.add(cell, numbers[cell], bounds[cell]);
  return all;
}

}  // namespace attn
