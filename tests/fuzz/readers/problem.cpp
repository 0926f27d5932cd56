#include "reading/problem/problem.h"

#include <cstddef>
#include <string>

#include "exports/json.h"
#include "harness.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/trace.h"
#include "reference_backend.h"
#include "said.h"

namespace attn {
namespace {

// A problem file: refused in words, or computed to a trace that reads back.
void run(std::string_view text) {
  static const Catalog known = catalog();
  constexpr std::size_t most_read = std::size_t{1} << 16, most_computed = std::size_t{1} << 17;
  const Result<Problem> problem = read_problem(text, known, most_read);
  if (!problem) return demand_faults(problem.faults(), text);
  const Recipe recipe = recipe_of(problem.value());
  demand(recipe.fits(), "a problem that is accepted fits", text);
  if (recipe.bytes() > most_computed) return;
  ReferenceBackend backend;
  const Trace trace = attention(problem.value(), backend);
  const std::string written = trace_json(trace);
  const Result<StoredTrace> read = read_trace(written);
  demand(static_cast<bool>(read), "a trace reads back", written);
  demand(differences(read.value(), trace, {}).empty(), "a trace reads back with the same bits", written);
}

}  // namespace

Harness problem_harness() { return {"problem", run}; }

}  // namespace attn
