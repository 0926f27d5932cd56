#pragma once

#include "model/projections.h"

namespace attn {

// Records what happens to queries, keys and values between their projection and
// the scores, and returns the steps that the scores and the context read: new
// ones are rotated, past ones put before them and appended ones after them, and
// keys and values that several heads share are repeated for each.
Projected record_all_keys(Recorder& work, const Problem& problem, const Projected& projected);

}  // namespace attn
