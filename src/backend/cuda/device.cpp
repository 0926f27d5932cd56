#include "backend/cuda/device.h"

#include <utility>

#include "backend/backend.h"
#include "backend/cuda/kernels/launch.h"

namespace attn::cuda {
namespace {

Diagnostic environment_fault(std::string code, std::string message, Help help) {
  return {.code = std::move(code), .message = std::move(message), .help = std::move(help)};
}

std::string in_mebibytes(std::size_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

// "13.0" of 13000, as CUDA counts its versions.
std::string spelled_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Diagnostic memory_is_short(std::size_t wanted) {
  std::size_t free = 0, total = 0;
  const bool known = cudaMemGetInfo(&free, &total) == cudaSuccess;
  return environment_fault("gpu-memory",
                           "the GPU's memory is short: a step takes " + in_mebibytes(wanted) +
                               (known ? ", and " + in_mebibytes(free) + " are free" : ""),
                           "--backend cpu, a smaller problem, or end what else uses the GPU");
}

}  // namespace

void check(cudaError_t error, std::string_view doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // or the next call would be blamed
  throw BackendError(environment_fault("gpu-failed",
                                       "the GPU failed at " + std::string(doing) + ": " + cudaGetErrorString(error) +
                                           " (" + cudaGetErrorName(error) + ")",
                                       "--backend cpu gives the same steps"));
}

std::vector<DeviceInfo> device_list() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    devices.push_back({properties.name, properties.totalGlobalMem, properties.major, properties.minor});
  }
  return devices;
}

std::string to_string(const DeviceInfo& device) {
  return device.name + ", " + std::to_string(device.bytes >> 30) + " GiB, compute capability " +
         std::to_string(device.major) + "." + std::to_string(device.minor);
}

std::optional<Diagnostic> why_no_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  const auto none = [](std::string message, const std::string& help) {
    return environment_fault("no-cuda", std::move(message), help + "; --backend cpu gives the same steps");
  };
  if (error == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0) {
      return none("there is no NVIDIA driver here, and so no GPU to compute on",
                  "install the driver of your GPU (nvidia-smi shows whether it works)");
    }
    return none("the NVIDIA driver here knows CUDA up to " + spelled_version(driver) + ", and attn was built with " +
                    spelled_version(CUDART_VERSION),
                "install a newer driver, or build attn with an older CUDA");
  }
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
    return none("the NVIDIA driver finds no GPU here",
                "see what nvidia-smi lists, and whether CUDA_VISIBLE_DEVICES hides it");
  }
  if (error != cudaSuccess) {
    return none(std::string("the GPU does not answer: ") + cudaGetErrorString(error), "see what nvidia-smi says");
  }
  if (has_code_for_device() != cudaSuccess) {
    cudaGetLastError();
    const std::vector<DeviceInfo> devices = device_list();
    const DeviceInfo first = devices.empty() ? DeviceInfo{} : devices[0];
    return none("attn was not built for " + to_string(first),
                "build it with -DATTN_CUDA=ON -DATTN_CUDA_ARCHITECTURES=" + std::to_string(first.compute_capability()));
  }
  return std::nullopt;
}

DeviceMemory::~DeviceMemory() { cudaFree(data_); }

std::byte* DeviceMemory::at_least(std::size_t bytes) {
  if (bytes <= bytes_) return data_;
  check(cudaFree(data_), "giving memory back");
  data_ = nullptr;
  bytes_ = 0;
  void* fresh = nullptr;
  const cudaError_t error = cudaMalloc(&fresh, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw BackendError(memory_is_short(bytes));
  }
  check(error, "taking memory");
  data_ = static_cast<std::byte*>(fresh);
  bytes_ = bytes;
  return data_;
}

std::size_t DeviceLayout::add(std::size_t bytes) {
  const std::size_t begin = bytes_;
  bytes_ += (bytes + 255) / 256 * 256;
  return begin;
}

DeviceClock::DeviceClock() {
  check(cudaEventCreate(&from_), "making a clock");
  check(cudaEventCreate(&to_), "making a clock");
}

DeviceClock::~DeviceClock() {
  cudaEventDestroy(from_);
  cudaEventDestroy(to_);
}

void DeviceClock::start() { check(cudaEventRecord(from_), "reading a clock"); }

double DeviceClock::seconds() {
  check(cudaEventRecord(to_), "reading a clock");
  check(cudaEventSynchronize(to_), "waiting for a kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from_, to_), "reading a clock");
  return static_cast<double>(milliseconds) / 1000;
}

}  // namespace attn::cuda
