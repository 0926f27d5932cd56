#include "backend/select.h"

#include <algorithm>
#include <cassert>

#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"

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

Result<std::unique_ptr<Backend>> select_backend(std::string_view name, std::size_t threads) {
  if (name == "auto") {
    // The devices furthest from the processor come last in the table, and first here.
    for (auto row = backends().rbegin(); row != backends().rend(); ++row) {
      if (!row->devices().empty()) return row->make(threads);
    }
  }
  const auto row = std::ranges::find(backends(), name, &BackendRow::name);
  assert(row != backends().end());
  return row->make(threads);
}

}  // namespace attn
