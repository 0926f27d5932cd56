#include <algorithm>
#include <limits>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

// The weights of rows that the mask closes wholly are all this number.
Rewrite weights_of_closed_rows(const RightAttention& right, const std::string& variant, Tensor<double> open,
                               double number) {
  const std::size_t keys = open.shape().size("key");
  for (std::size_t row = 0; row < open.size(); row += keys) {
    const auto cells = open.data().subspan(row, keys);
    const bool closed = std::ranges::find(cells, 1.0) == cells.end();
    std::ranges::fill(cells, closed ? number : 0);
  }
  return rewritten(right, right.at.weights, variant, [&](Recipe& recipe) {
    recipe.give("~closed_rows", std::move(open));
    const Instruction weights = *recipe.find(right.at.weights);
    recipe.insert_before(right.at.weights, in_between("~softmax", weights.op, weights.operands, weights.open));
    recipe.replace(right.at.weights, Combine{Binary::add, {}}, {"~softmax", "~closed_rows"});
    leave_open_below(recipe, right.at, right.at.weights);
  });
}

std::vector<Rewrite> other_weights(const RightAttention& right) {
  const Instruction* mask = right.find(right.at.mask);
  if (!mask || !has_softmax(right)) return {};
  Tensor<double> open = right.value(right.at.mask);
  const std::size_t keys = open.shape().size("key");
  bool any = false;
  for (std::size_t row = 0; row < open.size(); row += keys) {
    const auto cells = open.data().subspan(row, keys);
    any = any || std::ranges::find(cells, 1.0) == cells.end();
  }
  if (!any) return {};
  return {weights_of_closed_rows(right, "NaN", open, std::numeric_limits<double>::quiet_NaN()),
          weights_of_closed_rows(right, "1/Nk, the same for every key", open, 1 / static_cast<double>(keys))};
}

}  // namespace

Convention closed_rows_convention() {
  return {.id = "mask.closed_rows",
          .what = "rows in which every cell is closed have other weights than 0",
          .rewrites = other_weights};
}

}  // namespace attn
