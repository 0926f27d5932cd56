#include "backend/cpu/cpu.h"

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/instructions.h"
#include "backend/cpu/pieces.h"
#include "backend/cpu/product.h"
#include "base/text.h"

namespace attn {
namespace {

// The operation seen as y = x·w + what is added: every axis of the result is one
// of x, but for the last, which is that of w.
struct AsProduct {
  std::size_t rows, depth, columns;
  std::size_t w_depth, w_column;  // strides
};

std::optional<AsProduct> as_product(const Contract& op, std::span<const View> operands, const Shape& result) {
  if (op.then != Contract::Then::add || result.rank() < 2 || result.count() == 0) return std::nullopt;
  const Shape& x = operands[0].shape;
  const Shape& w = operands[1].shape;
  const Axis& column = result.back().axis;
  if (w.rank() != 2 || !w.has(column) || x.has(column) || x.back().axis != op.over) return std::nullopt;
  if (x.rank() != result.rank()) return std::nullopt;
  for (std::size_t i = 0; i + 1 < x.rank(); ++i) {
    if (x[i].axis != result[i].axis) return std::nullopt;
  }
  const auto is_row = [&](const View& added) { return added.shape.rank() == 1 && added.shape.has(column); };
  if (!std::ranges::all_of(operands.subspan(2), is_row)) return std::nullopt;
  return AsProduct{result.count() / result.back().size, x.back().size, result.back().size, w.stride(op.over),
                   w.stride(column)};
}

template <class T>
Tensor<double> multiply(Threads& threads, const AsProduct& as, std::span<const View> operands, const Shape& result) {
  std::vector<T> x(operands[0].data.begin(), operands[0].data.end());
  std::vector<T> w(as.depth * as.columns);
  for (std::size_t i = 0; i < as.depth; ++i) {
    for (std::size_t j = 0; j < as.columns; ++j)
      w[i * as.columns + j] = static_cast<T>(operands[1].data[i * as.w_depth + j * as.w_column]);
  }
  std::vector<T> y(as.rows * as.columns);
  multiply_on({.rows = as.rows,
               .depth = as.depth,
               .columns = as.columns,
               .x = x.data(),
               .w = w.data(),
               .y = y.data(),
               .x_row = as.depth,
               .w_row = as.columns,
               .y_row = as.columns},
              threads);

  for (const View& added : operands.subspan(2)) {
    for (std::size_t at = 0; at < y.size(); ++at) y[at] += static_cast<T>(added.data[at % as.columns]);
  }
  return Tensor<double>(result, std::vector<double>(y.begin(), y.end()));
}

// Products of many vectors with a matrix go through the tiles of fused attention.
std::optional<Tensor<double>> multiplied(Threads& threads, const Op& op, std::span<const View> operands,
                                         const View* open, const Shape& result, Dtype dtype) {
  const auto* contract = std::get_if<Contract>(&op);
  if (contract == nullptr || open != nullptr || rounds_once_a_step(dtype)) return std::nullopt;
  const auto as = as_product(*contract, operands, result);
  if (!as) return std::nullopt;
  return dtype == Dtype::f32 ? multiply<float>(threads, *as, operands, result)
                             : multiply<double>(threads, *as, operands, result);
}

// Below so many products or cells, calling threads together takes longer.
constexpr std::size_t least_work = 8192;

// How many numbers are looked at, about.
std::size_t work_of(std::span<const View> operands, const Op& op, const Shape& result) {
  const std::size_t cells = result.count();
  if (const auto* contraction = std::get_if<Contract>(&op)) return cells * operands[0].shape.size(contraction->over);
  std::size_t most = cells;
  for (const View& operand : operands) most = std::max(most, operand.data.size());
  return most;
}

}  // namespace

std::vector<std::string> cpu_devices() { return {instruction_set() + ", " + counted(Threads(0).count(), "processor")}; }

CpuBackend::CpuBackend(std::size_t threads) : threads_(std::make_shared<Threads>(threads)) {}

Backend& CpuBackend::in_any_order() {
  if (any_order_) return *this;
  if (!in_any_order_) {
    in_any_order_ = std::make_unique<CpuBackend>(1);
    in_any_order_->threads_ = threads_;
    in_any_order_->any_order_ = true;
  }
  return *in_any_order_;
}

Tensor<double> CpuBackend::run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                               Dtype dtype) {
  std::optional<Tensor<double>> made;
  if (any_order_) made = multiplied(*threads_, op, operands, open, result, dtype);
  if (!made && work_of(operands, op, result) >= least_work && operands.size() < Pieces::most_tensors) {
    made = run_in_pieces(*threads_, op, operands, open, result, dtype);
  }
  return made ? std::move(*made) : run_plainly(op, operands, open, result, dtype);
}

bool CpuBackend::attend(const FusedAttention<float>& call) {
  attend_on(call, *threads_);
  return true;
}

bool CpuBackend::attend(const FusedAttention<double>& call) {
  attend_on(call, *threads_);
  return true;
}

}  // namespace attn
