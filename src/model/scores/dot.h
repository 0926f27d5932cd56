#pragma once

#include "model/scores/score.h"

namespace attn {

// Records the step "scores": the dot product of each query with each key.
void record_dot_products(Recorder& work, const Compared& from);

}  // namespace attn
