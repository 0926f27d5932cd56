#include "compare/golden.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/arrangement.h"
#include "trace/trace.h"

namespace attn {
namespace {

std::optional<Difference> cells(const StoredStep& expected, const Step& step, Tolerance tolerance, Dtype dtype) {
  const Tensor<double>& got = step.result;
  std::size_t count = 0, worst = 0;
  const auto apart = [&](std::size_t cell) { return distance(expected.value[cell], got[cell]); };
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (tolerance.accepts(expected.value[at], got[at])) continue;
    if (step.bounds() && apart(at) <= 2 * step.bounds()->since[at] && std::isfinite(apart(at))) continue;
    if (++count == 1 || apart(at) > apart(worst)) worst = at;
  }
  if (count == 0) return std::nullopt;
  const double want = expected.value[worst];
  const double have = got[worst];
  return Difference{expected.id,
                    std::to_string(count) + " of " + std::to_string(got.size()) +
                        (got.size() == 1 ? " cell differs" : " cells differ"),
                    WorstCell{got.shape().index(worst), want, have, ulps_apart(want, have, dtype)}};
}

std::optional<Difference> difference(const StoredStep& expected, const Trace& got, Tolerance tolerance, Dtype dtype) {
  const Step* step = got.find(expected.id);
  if (!step) return Difference{expected.id, "the step is missing"};
  const Shape& want = expected.value.shape();
  const Shape& have = step->result.shape();
  if (axes_of(want) != axes_of(have)) {
    return Difference{expected.id, "axes are " + axes_of(have) + ", expected " + axes_of(want)};
  }
  if (want != have) return Difference{expected.id, "shape is " + to_string(have) + ", expected " + to_string(want)};
  return cells(expected, *step, tolerance, dtype);
}

void compare_whole(const StoredTrace& expected, const Trace& got, std::vector<Difference>& found) {
  const auto differs = [&](const std::string& what, const std::string& want, const std::string& have) {
    if (want != have) found.push_back({"", what + " is " + have + ", expected " + want});
  };
  const auto& rounding = got.arithmetic.hand_rounding;
  differs("dtype", expected.dtype, std::string(name(got.arithmetic.dtype)));
  differs("hand rounding", expected.hand_rounding.value_or("none"), rounding ? to_string(*rounding) : "none");
  differs("result", expected.result, got.result);
}

}  // namespace

std::uint64_t ulps_apart(double a, double b, Dtype dtype) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<std::uint64_t>::max();
  }
  const std::int64_t x = place_among(stored(a, dtype), dtype);
  const std::int64_t y = place_among(stored(b, dtype), dtype);
  return static_cast<std::uint64_t>(std::max(x, y)) - static_cast<std::uint64_t>(std::min(x, y));
}

std::vector<Difference> differences(const StoredTrace& expected, const Trace& got, Tolerance tolerance) {
  std::vector<Difference> found;
  compare_whole(expected, got, found);

  // Numbers of different dtypes are apart by what lies between them in the wider one.
  const Dtype dtype = expected.dtype == name(got.arithmetic.dtype) ? got.arithmetic.dtype : Dtype::f64;
  std::vector<std::string> expected_order, got_order;
  for (const StoredStep& step : expected.steps) {
    if (got.find(step.id)) expected_order.push_back(step.id);
    if (auto one = difference(step, got, tolerance, dtype)) found.push_back(std::move(*one));
  }
  for (const Step& step : got.steps) {
    if (std::ranges::find(expected.steps, step.heading.id, &StoredStep::id) != expected.steps.end()) {
      got_order.push_back(step.heading.id);
    } else {
      found.push_back({step.heading.id, "the step is not in the golden"});
    }
  }
  if (expected_order != got_order) found.push_back({"", "the steps are in another order"});
  return found;
}

std::string first_different(const std::vector<Difference>& differences) {
  const auto found = std::ranges::find_if_not(differences, &std::string::empty, &Difference::step);
  return found == differences.end() ? "" : found->step;
}

}  // namespace attn
