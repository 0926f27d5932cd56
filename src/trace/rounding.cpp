#include "trace/rounding.h"

#include <vector>

namespace attn {
namespace {

enum class Rounded { not_at_all, each_cell, each_row };

Rounded how(const Op& op, std::size_t operands) {
  return std::visit(Overloaded{
                        [](const Given&) { return Rounded::not_at_all; },
                        [](const Copy&) { return Rounded::not_at_all; },
                        [](const Split&) { return Rounded::not_at_all; },
                        [](const Merge&) { return Rounded::not_at_all; },
                        [](const Join&) { return Rounded::not_at_all; },
                        [](const Repeat&) { return Rounded::not_at_all; },
                        [](const Pick&) { return Rounded::not_at_all; },
                        // The sines and cosines of a rotation are looked up; those
                        // that are added to the inputs are a step of their own.
                        [](const Waves& waves) {
                          return waves.kind == Waves::Kind::alternating ? Rounded::each_cell : Rounded::not_at_all;
                        },
                        [](const Rotate&) { return Rounded::each_cell; },
                        [](const Contract&) { return Rounded::each_cell; },
                        [](const Combine&) { return Rounded::each_cell; },
                        [](const Map&) { return Rounded::each_cell; },
                        [](const Reduce&) { return Rounded::each_cell; },
                        [](const Gate&) { return Rounded::each_cell; },
                        [](const Normalize&) { return Rounded::each_cell; },
                        [&](const Close&) { return operands > 1 ? Rounded::each_cell : Rounded::not_at_all; },
                        [](const Softmax& softmax) {
                          const bool is_last =
                              softmax.part == Softmax::Part::weights || softmax.part == Softmax::Part::shares;
                          return is_last ? Rounded::each_row : Rounded::not_at_all;
                        },
                        [](const Online& online) {
                          return online.part == Online::Part::result ? Rounded::each_cell : Rounded::not_at_all;
                        },
                    },
                    op);
}

}  // namespace

bool is_rounded_by_hand(const Op& op, std::size_t operands) { return how(op, operands) != Rounded::not_at_all; }

void round_keeping_sums(Tensor<double>& weights, const Axis& over, const Tensor<double>* open, HandRounding rounding) {
  const std::size_t count = weights.shape().size(over);
  const std::size_t stride = weights.shape().stride(over);
  std::vector<double> row(count), is_open(count, 1);
  for (std::size_t first = 0; first < weights.size(); ++first) {
    if (first / stride % count != 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = weights[first + i * stride];
      if (open) is_open[i] = (*open)[first + i * stride];
    }
    round_row_keeping_sum(row, is_open, rounding);
    for (std::size_t i = 0; i < count; ++i) weights[first + i * stride] = row[i];
  }
}

void round_by_hand(const Op& op, std::size_t operands, HandRounding rounding, const Tensor<double>* open,
                   Tensor<double>& result) {
  const Rounded rounded_how = how(op, operands);
  if (rounded_how == Rounded::not_at_all) return;
  if (rounded_how == Rounded::each_row && rounding.mode == RoundingMode::keep_sum) {
    return round_keeping_sums(result, std::get<Softmax>(op).over, open, rounding);
  }
  for (double& number : result.data()) number = rounded(number, rounding);
}

}  // namespace attn
