#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "problem/problem.h"
#include "trace/trace.h"

namespace attn {

struct AttentionOptions {
  // Whether weighted_values is kept whatever its size.
  bool all_weighted_values = false;

  // Called with the id of each step before it is computed, hidden ones too.
  std::function<void(std::string_view id)> before_step = {};
};

// Attention, step by step, as Vaswani et al. (2017), section 3.2, equation 1:
// softmax(Q·Kᵀ / √d_k)·V, over every head and sequence of the problem.
Trace attention(const Problem& problem, Backend& backend, AttentionOptions options = {});

// The same result where nothing else is wanted, by the backend's fused attention:
// a trace of that one step, given as if it stood in the problem. Nothing where
// the problem has no fused form (at_once.h) or the backend none for it, and where
// a number of the context is not finite: the steps say then where it comes from.
std::optional<Trace> attention_at_once(const Problem& problem, Backend& backend);

// The most bytes of numbers that it holds, each counted as often as it is
// copied; without room for a few blocks of scores, which stay small. Nothing
// where the problem has no fused form.
std::optional<std::size_t> bytes_at_once(const Problem& problem);

// What the trace of all steps will be, worked out from the shapes alone: nothing is computed.
struct TracePlan {
  std::vector<std::string> steps;  // their ids, in order
  std::size_t bytes = 0;           // of all its numbers; saturates
};

TracePlan planned(const Problem& problem, AttentionOptions options = {});

// Every score, position and softmax that a problem can name.
Catalog catalog();

}  // namespace attn
