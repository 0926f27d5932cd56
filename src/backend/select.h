#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
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

// The one of that name, or, for "auto", the first of cuda and cpu that can run here.
// Not there: a diagnostic for the environment (exit 3). REQUIRES: a known name or "auto".
Result<std::unique_ptr<Backend>> select_backend(std::string_view name, std::size_t threads);

}  // namespace attn
