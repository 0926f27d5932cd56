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
  std::size_t depth, columns;
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
  return AsProduct{x.back().size, result.back().size, w.stride(op.over), w.stride(column)};
}

// Such a product by the tiles of fused attention.
template <class T>
class RowsTimesPacked final : public ReadyProduct {
 public:
  RowsTimesPacked(Threads& threads, const AsProduct& as, const View& w)
      : threads_(threads),
        w_(LyingMatrix<double>{w.data.data(), as.depth, as.columns, as.w_depth, as.w_column}, threads) {}

  Tensor<double> run(std::span<const View> operands, const Shape& result) override {
    const std::size_t depth = w_.rows(), columns = w_.columns(), rows = result.count() / columns;
    const std::vector<T> x(operands[0].data.begin(), operands[0].data.end());
    std::vector<T> y(rows * columns);
    multiply_on({rows, x.data(), y.data(), depth, columns}, w_, threads_);
    for (const View& added : operands.subspan(2)) {
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < columns; ++i) y[row * columns + i] += static_cast<T>(added.data[i]);
      }
    }
    return Tensor<double>(result, std::vector<double>(y.begin(), y.end()));
  }

 private:
  Threads& threads_;
  PackedMatrix<T> w_;
};

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
  if (!open) {
    if (const auto product = ready(op, operands, result, dtype)) made = product->run(operands, result);
  }
  if (!made && work_of(operands, op, result) >= least_work && operands.size() < Pieces::most_tensors) {
    made = run_in_pieces(*threads_, op, operands, open, result, dtype);
  }
  return made ? std::move(*made) : run_plainly(op, operands, open, result, dtype);
}

std::unique_ptr<ReadyProduct> CpuBackend::ready(const Op& op, std::span<const View> operands, const Shape& result,
                                                Dtype dtype) {
  const auto* contract = std::get_if<Contract>(&op);
  if (!any_order_ || contract == nullptr || rounds_once_a_step(dtype)) return nullptr;
  const auto as = as_product(*contract, operands, result);
  if (!as) return nullptr;
  if (dtype == Dtype::f32) return std::make_unique<RowsTimesPacked<float>>(*threads_, *as, operands[1]);
  return std::make_unique<RowsTimesPacked<double>>(*threads_, *as, operands[1]);
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
