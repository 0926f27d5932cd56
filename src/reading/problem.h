#pragma once

#include <string_view>

#include "base/result.h"
#include "problem/problem.h"

namespace attn {

// Reads and validates a problem file's text (docs/problem-format.md). All its
// faults are reported at once. Numbers that the text only describes, random
// ones and padding, are made only if they take no more than `max_bytes`.
Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes);

}  // namespace attn
