#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "backend/cpu/cpu.h"
#include "base/numbers.h"
#include "harness.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "said.h"
#include "small_problem.h"

namespace attn {
namespace {

// The largest number of the first of these that the trace has.
double largest(const Trace& trace, std::initializer_list<std::string_view> ids) {
  double most = 0;
  for (const std::string_view id : ids) {
    if (!trace.find(id) && !trace.find_given(id)) continue;
    for (const double number : trace.value(id).data()) {
      if (std::isfinite(number)) most = std::max(most, std::abs(number));
    }
    return most;
  }
  return most;
}

// How far from the exact result an honest computation of these numbers may end: as tests/property/at_once.py has it,
// of sizes no larger than small_problem() makes.
double rounding(const Trace& trace, Dtype dtype) {
  const double unit = dtype == Dtype::f64 ? 0x1p-53 : 0x1p-24;
  constexpr double width = 8, largest_output = 4 * 16 * 64, largest_scale = 4;
  const double products =
      width * largest(trace, {"rotated_keys", "keys"}) * largest(trace, {"rotated_queries", "queries"});
  const double score =
      std::max({products * largest_scale, largest(trace, {"scores"}), largest(trace, {"score_bias"}), 1.0});
  const double size = largest(trace, {"values"}) * (trace.find("output") ? largest_output : 1);
  return 8 * unit * (width + 4) * (1 + score) * std::max(size, 1e-300);
}

// Attention at once, against the same step by step.
void run(std::string_view text) {
  static const Catalog known = catalog();
  static CpuBackend cpu(1);
  Bytes bytes(text);
  const std::string written = small_problem(bytes);
  const Result<Problem> problem = read_problem(written, known, 1 << 20);
  if (!problem) return demand_faults(problem.faults(), written);
  const auto once = attention_at_once(problem.value(), cpu);
  if (!once) return;
  ReferenceBackend plain;
  const Trace steps = attention(problem.value(), plain);
  const auto found = once->value("result").data(), wanted = steps.value("result").data();
  demand(once->value("result").shape() == steps.value("result").shape(), "the result has the same shape", written);
  const double may = rounding(steps, problem.value().arithmetic.dtype);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool same = found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i]));
    demand(same || std::abs(found[i] - wanted[i]) <= may, shortest(found[i]) + " at once is " + shortest(wanted[i]),
           written);
  }
}

}  // namespace

Harness at_once_harness() { return {"at_once", run}; }

}  // namespace attn
