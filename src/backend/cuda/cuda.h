#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"

namespace attn {

// What there is of GPUs, a line a device: "NVIDIA H200, 139 GiB, compute
// capability 9.0". Empty where there is none, no driver, or no CUDA in this build.
std::vector<std::string> cuda_devices();

// A backend on the first device, whatever the threads; or why there is none, and what to do.
Result<std::unique_ptr<Backend>> make_cuda(std::size_t threads);

}  // namespace attn
