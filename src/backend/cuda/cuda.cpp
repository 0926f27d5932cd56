#include "backend/cuda/cuda.h"

#include "backend/cuda/backend.h"

namespace attn {

std::vector<std::string> cuda_devices() {
  std::vector<std::string> lines;
  for (const cuda::DeviceInfo& device : cuda::device_list()) lines.push_back(to_string(device));
  return lines;
}

Result<std::unique_ptr<Backend>> make_cuda(const BackendOptions&) {
  if (auto why = cuda::why_no_device()) return *why;
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>());
}

CudaBackend::CudaBackend() {
  const cuda::DeviceInfo device = cuda::device_list().at(0);
  compute_capability_ = 10 * device.major + device.minor;
}

}  // namespace attn
