#include "backend/backends.h"

#include "backend/cpu/cpu.h"

namespace attn {
namespace {

Result<std::unique_ptr<Backend>> make_cpu(std::size_t threads) {
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(threads));
}

}  // namespace

const std::vector<BackendRow>& backends() {
  static const std::vector<BackendRow> rows = {
      {"cpu", cpu_devices, make_cpu},
      {"cuda", cuda_devices, make_cuda},
  };
  return rows;
}

}  // namespace attn
