#pragma once

#include <memory>

#include "backend/cpu/threads.h"
#include "bench/measurable.h"

namespace attn {

// Multi-head attention with its projections, as MeasurableRun has it: inputs by
// one matrix to queries, keys and values of all heads, attention, and the heads'
// contexts by another to outputs. Whatever kernel is named, it is the one that a
// run uses. REQUIRES: work.model_width > 0; f32 or f64.
std::unique_ptr<MeasurableRun> projected_run(Threads& threads, const Workload& work);

}  // namespace attn
