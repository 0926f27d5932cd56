#pragma once

#include <string>

#include "trace/recorder.h"

namespace attn {

// Records the step "scores": the dot product of each query with each key.
void record_dot_products(Recorder& work, const std::string& queries, const std::string& keys);

}  // namespace attn
