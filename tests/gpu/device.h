#pragma once

#include <memory>

#include "backend/backends.h"
#include "catch.h"

// Whether the host is taken for a GPU (tests/cuda_on_host), slow as it is.
inline bool is_pretended() { return attn::cuda_devices().at(0).starts_with("this processor"); }

// The GPU, or null where there is none, which the test then says.
inline std::unique_ptr<attn::Backend> gpu_here() {
  auto made = attn::make_cuda({});
  if (made) return std::move(made.value());
  WARN("not tested: " << made.faults().front().message);
  return nullptr;
}
