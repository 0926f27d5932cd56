#pragma once

#include "problem/problem.h"
#include "reading/names/step_names.h"
#include "trace/trace.h"

namespace attn {

// A small problem that answers, schemes and the like are of: two heads, a mask, scaled scores. Made once.
const Problem& example_problem();
const Trace& example_trace();
const KnownSteps& example_steps();

}  // namespace attn
