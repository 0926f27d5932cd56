// Stands for this folder in a build without CUDA.

#include "bench/measurable.h"

namespace attn {

std::unique_ptr<Measurable> measurable_gpu() { return nullptr; }

}  // namespace attn
