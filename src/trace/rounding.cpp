#include "trace/rounding.h"

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
                        [&](const Close&) { return operands > 1 ? Rounded::each_cell : Rounded::not_at_all; },
                        [](const Softmax& softmax) {
                          const bool is_last =
                              softmax.part == Softmax::Part::weights || softmax.part == Softmax::Part::shares;
                          return is_last ? Rounded::each_row : Rounded::not_at_all;
                        },
                    },
                    op);
}

// Attention weights have the key axis last, so that a row is consecutive.
void round_rows(HandRounding rounding, const Tensor<double>* open, Tensor<double>& result) {
  const std::size_t width = result.shape().back().size;
  for (std::size_t start = 0; start < result.size(); start += width) {
    const auto row = result.data().subspan(start, width);
    round_row_keeping_sum(row, open ? open->data().subspan(start, width) : std::span<const double>(), rounding);
  }
}

}  // namespace

bool is_rounded_by_hand(const Op& op, std::size_t operands) { return how(op, operands) != Rounded::not_at_all; }

void round_by_hand(const Op& op, std::size_t operands, HandRounding rounding, const Tensor<double>* open,
                   Tensor<double>& result) {
  const Rounded rounded_how = how(op, operands);
  if (rounded_how == Rounded::not_at_all) return;
  if (rounded_how == Rounded::each_row && rounding.mode == RoundingMode::keep_sum) {
    round_rows(rounding, open, result);
    return;
  }
  for (double& number : result.data()) number = rounded(number, rounding);
}

}  // namespace attn
