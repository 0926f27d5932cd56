#pragma once

#include <string>
#include <vector>

#include "bench/measurable.h"

namespace attn {

// "1×8×2048×64 causal": sequences, heads, queries and keys, width. What is
// not the same for all follows: "1×16×1×128, 4096 keys".
std::string spelled(const Workload& workload);

// Small and large squares, the large ones causal as well, multi-head attention
// with its projections, the worked example's three queries and keys, and one
// query of a long cache (decoding).
std::vector<Workload> bench_suite(Dtype dtype);

// What keeps a machine from being faster.
enum class Limit { arithmetic, memory, calling };

// Memory where there are few operations for each byte that must be read or
// written, as in decoding; calling where there is next to nothing to do.
Limit limit_of(const Workload& workload);

}  // namespace attn
