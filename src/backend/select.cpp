#include "backend/select.h"

#include <algorithm>
#include <cassert>

#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"

namespace attn {
namespace {

Result<std::unique_ptr<Backend>> make_cpu(const BackendOptions& options) {
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(options.threads));
}

}  // namespace

const std::vector<BackendRow>& backends() {
  static const std::vector<BackendRow> rows = {
      {"cpu", "this machine's processors", cpu_devices, make_cpu},
      {"cuda", "an NVIDIA GPU, where attn is built with -DATTN_CUDA=ON", cuda_devices, make_cuda},
  };
  return rows;
}

Result<std::unique_ptr<Backend>> select_backend(std::string_view name, const BackendOptions& options) {
  if (name == "auto") {
    // The devices furthest from the processor come last in the table, and first here.
    for (auto row = backends().rbegin(); row != backends().rend(); ++row) {
      if (!row->devices().empty()) return row->make(options);
    }
  }
  const auto row = std::ranges::find(backends(), name, &BackendRow::name);
  assert(row != backends().end());
  return row->make(options);
}

}  // namespace attn
