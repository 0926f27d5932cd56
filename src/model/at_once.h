#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/projections.h"
#include "problem/problem.h"
#include "trace/recorder.h"

namespace attn {

// Whether the context can be computed at once, with no score, weight or sum
// kept: scores are dot products, softmax goes by exponentials, positions add
// nothing to scores before they are scaled nor to the context, and no step
// between is rounded, by hand or to half precision.
bool has_fused_form(const Problem& problem);

// What came of computing it so.
struct ContextAtOnce {
  std::string id;                // of the step "context"
  std::vector<Note> notes = {};  // rows with every key closed
  bool holds = true;             // false where the backend has no such computation, or a number is not finite
};

// Records the step "context" from the queries, all keys and all values, whose
// heads need not be repeated. REQUIRES: has_fused_form(problem).
ContextAtOnce record_context_at_once(Recorder& work, const Problem& problem, const Projected& all);

}  // namespace attn
