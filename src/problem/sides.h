#pragma once

#include "problem/sources.h"

namespace attn {

// Reports what keeps queries, keys and values apart before any projection:
// different batches, values that are not as many as the keys, nothing to attend
// with or to.
void check_sides(const Sources& sources, Vectors vectors, Faults& faults);

}  // namespace attn
