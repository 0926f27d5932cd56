#pragma once

#include <memory>

#include "backend/cpu/threads.h"
#include "bench/measurable.h"

namespace attn {

// What of the processors can be timed: the ladder's kernels, multiplying and
// adding, and reading. The threads must outlive it.
std::unique_ptr<Measurable> measurable_processors(Threads& threads);

}  // namespace attn
