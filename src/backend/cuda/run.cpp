#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "backend/backends.h"
#include "backend/cuda/backend.h"
#include "backend/cuda/cells/cell.h"
#include "backend/cuda/kernels/launch.h"

namespace attn {
namespace {

using cuda::check;

template <class Number>
const Number* uploaded(std::span<const Number> numbers, std::byte* to) {
  check(cudaMemcpy(to, numbers.data(), numbers.size_bytes(), cudaMemcpyHostToDevice), "copying numbers to it");
  return reinterpret_cast<const Number*>(to);
}

std::span<const std::int64_t> rows_of(const Op& op) {
  const auto* pick = std::get_if<Pick>(&op);
  return pick ? pick->rows.data() : std::span<const std::int64_t>();
}

}  // namespace

std::vector<std::string> cuda_devices() {
  std::vector<std::string> lines;
  for (const cuda::DeviceInfo& device : cuda::device_list()) lines.push_back(to_string(device));
  return lines;
}

Result<std::unique_ptr<Backend>> make_cuda(std::size_t) {
  if (auto why = cuda::why_no_device()) return *why;
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>());
}

CudaBackend::CudaBackend() : compute_capability_(cuda::device_list().at(0).compute_capability()) {}

Tensor<double> CudaBackend::run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                                Dtype dtype) {
  const std::span<const std::int64_t> rows = rows_of(op);
  Tensor<double> made(result);

  // All arrays in one piece of memory: the operands, the mask, rows and the result.
  cuda::DeviceLayout layout;
  std::vector<std::size_t> begins;
  for (const View& operand : operands) begins.push_back(layout.add(operand.data.size_bytes()));
  const std::size_t open_begin = layout.add(open ? open->data.size_bytes() : 0);
  const std::size_t rows_begin = layout.add(rows.size_bytes());
  const std::size_t made_begin = layout.add(made.data().size_bytes());
  std::byte* memory = memory_.at_least(layout.bytes());

  std::vector<Cells<double>> cells;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    cells.push_back({&operands[i].shape, uploaded(operands[i].data, memory + begins[i])});
  }
  const Cells<double> mask =
      open ? Cells<double>{&open->shape, uploaded(open->data, memory + open_begin)} : Cells<double>{};
  const std::int64_t* rows_there = uploaded(rows, memory + rows_begin);

  const std::optional<cuda::Cell> cell = cuda::cell_of(op, cells, open ? &mask : nullptr, rows_there, result);
  if (!cell) {
    throw BackendError({.code = "gpu-operands",
                        .message = "a step reads more tensors, or has more axes, than a kernel for the GPU takes (8)",
                        .help = "--backend cpu computes it"});
  }
  auto* numbers = reinterpret_cast<double*>(memory + made_begin);
  const auto start = [&](const auto& one) { return launch(one, dtype == Dtype::f32, made.size(), numbers); };
  check(std::visit(start, *cell), "starting a kernel");
  check(cudaMemcpy(made.data().data(), numbers, made.data().size_bytes(), cudaMemcpyDeviceToHost),
        "copying numbers from it");

  if (rounds_once_a_step(dtype)) {
    for (double& number : made.data()) number = stored(number, dtype);
  }
  return made;
}

}  // namespace attn
