#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "backend/cpu/cpu.h"
#include "backend/cpu/product.h"

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

}  // namespace

// Products of many vectors with a matrix go through the tiles of fused attention;
// everything else is as it is.
class CpuBackend::AnyOrder final : public Backend {
 public:
  explicit AnyOrder(CpuBackend& of) : of_(of) {}

  std::string_view name() const override { return of_.name(); }

  Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                     Dtype dtype) override {
    const auto* contract = std::get_if<Contract>(&op);
    if (contract != nullptr && open == nullptr && !rounds_once_a_step(dtype)) {
      if (const auto as = as_product(*contract, operands, result)) {
        return dtype == Dtype::f32 ? multiply<float>(of_.threads_, *as, operands, result)
                                   : multiply<double>(of_.threads_, *as, operands, result);
      }
    }
    return of_.run(op, operands, open, result, dtype);
  }

  bool attend(const FusedAttention<float>& call) override { return of_.attend(call); }
  bool attend(const FusedAttention<double>& call) override { return of_.attend(call); }

 private:
  CpuBackend& of_;
};

CpuBackend::~CpuBackend() = default;

Backend& CpuBackend::in_any_order() {
  if (!any_order_) any_order_ = std::make_unique<AnyOrder>(*this);
  return *any_order_;
}

}  // namespace attn
