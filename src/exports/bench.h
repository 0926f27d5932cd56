#pragma once

#include <string>

#include "explain/reports/benchmark.h"

namespace attn {

// What was measured, as JSON: seconds, bytes, operations, fractions, not rounded.
std::string benchmark_json(const BenchReport& report);

}  // namespace attn
