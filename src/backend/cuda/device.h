#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

// What CUDA's runtime says, in our own terms.

namespace attn::cuda {

// Throws a BackendError that says what was being done ("starting a kernel"),
// where the call before it failed.
void check(cudaError_t error, std::string_view doing);

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  std::size_t bytes = 0;
  int major = 0, minor = 0;  // compute capability

  int compute_capability() const { return 10 * major + minor; }  // 90 for 9.0
};

// The devices that the driver shows; empty where there is none or no driver.
std::vector<DeviceInfo> device_list();

// "NVIDIA H200, 139 GiB, compute capability 9.0"
std::string to_string(const DeviceInfo& device);

// Why no kernel of ours can run on the first device, or nothing.
std::optional<Diagnostic> why_no_device();

// Memory of the device, owned. Grows and is never given back before its end, so
// that step after step finds it there.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // At least so many bytes, aligned to 256; what stood there before is lost.
  // Throws a BackendError where there are not as many.
  std::byte* at_least(std::size_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Lays several arrays out one after another, each aligned to 256 bytes.
class DeviceLayout {
 public:
  // Where the next array of so many bytes begins.
  std::size_t add(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// The time between two places of the device's stream.
class DeviceClock {
 public:
  DeviceClock();
  ~DeviceClock();
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;

  void start();
  double seconds();  // since start(); waits for the device

 private:
  cudaEvent_t from_ = nullptr, to_ = nullptr;
};

}  // namespace attn::cuda
