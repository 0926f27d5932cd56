#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"

namespace attn {

// A backend that can be asked for by name.
struct BackendRow {
  std::string name;

  // What it finds on this machine, a line a device ("NVIDIA H200, 139 GiB, compute capability 9.0").
  // Empty where it cannot run here.
  std::vector<std::string> (*devices)() = nullptr;

  // Makes it, of so many threads, 0 for as many as there are processors; or says why it
  // cannot run here, and what to do.
  Result<std::unique_ptr<Backend>> (*make)(std::size_t threads) = nullptr;
};

// Every backend, built or not.
const std::vector<BackendRow>& backends();

// What there is of GPUs, a line a device: "NVIDIA H200, 139 GiB, compute
// capability 9.0". Empty where there is none, no driver, or no CUDA in this build.
std::vector<std::string> cuda_devices();

// A backend on the first device, whatever the threads; or why there is none, and what to do.
Result<std::unique_ptr<Backend>> make_cuda(std::size_t threads);

}  // namespace attn
