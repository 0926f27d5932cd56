#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "backend/backends.h"
#include "catch.h"

// Whether the host is taken for a GPU (tests/cuda_on_host), slow as it is.
inline bool is_pretended() { return attn::cuda_devices().at(0).starts_with("this processor"); }

// The GPU, or null where there is none, which the test then says. With
// ATTN_GPU_REQUIRED=1 in the environment, that is a failure.
inline std::unique_ptr<attn::Backend> gpu_here() {
  auto made = attn::make_cuda({});
  if (made) return std::move(made.value());
  const std::string& why = made.faults().front().message;
  const char* required = std::getenv("ATTN_GPU_REQUIRED");
  if (required && std::string_view(required) == "1") FAIL("ATTN_GPU_REQUIRED=1, and " << why);
  WARN("not tested: " << why);
  return nullptr;
}

// Whether a kernel is one of those that ATTN_GPU_KERNELS names ("clear mma"); where
// nobody names any, each is.
inline bool is_asked_for(std::string_view kernel) {
  const char* names = std::getenv("ATTN_GPU_KERNELS");
  if (!names) return true;
  const std::string list = " " + std::string(names) + " ";
  return list.find(" " + std::string(kernel) + " ") != std::string::npos;
}
