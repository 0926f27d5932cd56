#include "reading/scheme.h"

#include <algorithm>
#include <cmath>

#include "example.h"
#include "harness.h"
#include "said.h"

namespace attn {
namespace {

// A scheme of points.
void run(std::string_view text) {
  static const std::vector<std::string> steps = example_trace().recipe.steps();
  const Result<Scheme> read = read_scheme(text, example_steps(), steps);
  if (!read) return demand_faults(read.faults(), text);
  const auto are_points = [](double points) { return std::isfinite(points) && points >= 0; };
  for (const auto& step : read.value().points) {
    demand(are_points(step.points), "points are points", step.step);
    demand(std::ranges::find(steps, step.step) != steps.end(), "points are of a step", step.step);
  }
  for (const auto& one : read.value().deduct) demand(are_points(one.points), "deductions are points", one.mistake);
  demand(read.value().round_to > 0, "points are rounded to something");
}

}  // namespace

Harness scheme_harness() { return {"scheme", run}; }

}  // namespace attn
