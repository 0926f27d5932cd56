#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ops/backend.h"
#include "problem/problem.h"
#include "trace/trace.h"

namespace attn {

struct AttentionOptions {
  // Whether weighted_values is kept whatever its size.
  bool all_weighted_values = false;
};

// Attention, step by step, as Vaswani et al. (2017), section 3.2, equation 1:
// softmax(Q·Kᵀ / √d_k)·V, over every head and sequence of the problem.
Trace attention(const Problem& problem, Backend& backend, AttentionOptions options = {});

// What that trace will be, worked out from the shapes alone: nothing is computed.
struct TracePlan {
  std::vector<std::string> steps;  // their ids, in order
  std::size_t bytes = 0;           // of all its numbers; saturates
};

TracePlan planned(const Problem& problem, AttentionOptions options = {});

// Every score, position and softmax that a problem can name.
Catalog catalog();

}  // namespace attn
