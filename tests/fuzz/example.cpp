#include "example.h"

#include "harness.h"
#include "model/attention.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"

namespace attn {

const Problem& example_problem() {
  static const Problem problem = [] {
    const Result<Problem> read = read_problem(
        R"({"inputs": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]], "heads": 2, "causal": true,
            "weights": {"query": [[1, 0], [1, 0], [0, 1], [0, 1]], "key": [[0, 1], [1, 0], [0, 1], [1, 0]],
                        "value": [[0, 2], [0, 3], [1, 0], [1, 1]], "output": [[1, 2], [0, 1]]}})",
        catalog(), 1 << 20);
    demand(static_cast<bool>(read), "the example is a problem");
    return read.value();
  }();
  return problem;
}

const Trace& example_trace() {
  static const Trace trace = [] {
    ReferenceBackend backend;
    return attention(example_problem(), backend);
  }();
  return trace;
}

const KnownSteps& example_steps() {
  static const KnownSteps steps = KnownSteps::of(recipe_of(example_problem(), {.all_steps = true}), possible_steps);
  return steps;
}

}  // namespace attn
