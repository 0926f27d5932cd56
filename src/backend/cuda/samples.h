#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "base/host_device.h"
#include "tensor/dtype.h"

// C++17: random numbers that the device makes and the host knows.
namespace attn::cuda {

// The `at`-th number of a sequence: mean 0, variance 1, nearly normal (the sum of
// four uniform ones), the same wherever it is worked out. The bits are mixed as
// in SplitMix64 (Steele, Lea & Flood 2014).
ATTN_HOST_DEVICE inline float sample(std::uint64_t seed, std::uint64_t at) {
  std::uint64_t z = seed + (at + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z = z ^ (z >> 31);
  const std::uint64_t four = (z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48);
  return (static_cast<float>(four) - 131070.0F) / 37837.0F;
}

// Starts filling `numbers`, on the device, with samples rounded to the dtype.
cudaError_t fill_with_samples(Dtype dtype, void* numbers, std::size_t count, std::uint64_t seed);

// Starts widening numbers of the dtype; both on the device.
cudaError_t widen(Dtype dtype, const void* numbers, std::size_t count, double* wide);

}  // namespace attn::cuda
