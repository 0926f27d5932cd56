#include <variant>
#include <vector>

#include "backend/backend.h"
#include "ops/run.h"

namespace attn {
namespace {

template <class T>
Tensor<double> run_on(const Op& op, std::span<const View> operands, const View* open, const Shape& result) {
  std::vector<Cells<double>> cells;
  for (const View& operand : operands) cells.push_back({&operand.shape, operand.data.data()});
  const Cells<double> mask = open ? Cells<double>{&open->shape, open->data.data()} : Cells<double>{};
  const Cells<double>* closing = open ? &mask : nullptr;

  const std::span<const Cells<double>> read(cells);
  const Walk walk(result, read, closing);
  return std::visit(Run<T, double>(walk, read, closing, result), op);
}

}  // namespace

Tensor<double> run_plainly(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                           Dtype dtype) {
  if (dtype == Dtype::f32) return run_on<float>(op, operands, open, result);
  Tensor<double> made = run_on<double>(op, operands, open, result);
  if (rounds_once_a_step(dtype)) {
    for (double& number : made.data()) number = stored(number, dtype);
  }
  return made;
}

}  // namespace attn
