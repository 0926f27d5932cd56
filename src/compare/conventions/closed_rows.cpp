#include <algorithm>
#include <limits>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// The weights of rows that the mask closes wholly are all another number.
Rewrites other_weights(const RightAttention& right) {
  if (!right.has(right.at.mask) || !softmax_input(right)) return {};
  const Tensor<double> open = right.value(right.at.mask);
  const std::size_t keys = open.shape().size("key");
  const std::vector<std::size_t> closed = empty_rows(open);
  if (closed.empty()) return {};
  const auto all = [&](const std::string& variant, double number) {
    Tensor<double> added(open.shape());
    for (const std::size_t row : closed) std::ranges::fill(added.data().subspan(row, keys), number);
    const Instruction& weights = *right.find(right.at.weights);
    Rewrite made = rewritten(
        right, right.at.weights, variant,
        {given_line("~closed_rows", std::move(added)), line("~softmax", weights.op, weights.operands, weights.open),
         line(right.at.weights, Combine{Binary::add, {}}, {"~softmax", "~closed_rows"})});
    return left_open_below(std::move(made), right.at, right.at.weights);
  };
  return {all("NaN", std::numeric_limits<double>::quiet_NaN()),
          all(language().mistakes.same_for_every_key, 1 / static_cast<double>(keys))};
}

}  // namespace

Convention closed_rows_convention() {
  return {.id = "mask.closed_rows", .what = language().mistakes.closed_rows, .rewrites = other_weights};
}

}  // namespace attn
