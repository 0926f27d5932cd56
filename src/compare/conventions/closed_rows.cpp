#include <algorithm>
#include <limits>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

// The weights of rows that the mask closes wholly are all this number.
Rewrite weights_of_closed_rows(const Recipe& right, const std::string& variant, Tensor<double> open, double number) {
  const std::size_t keys = open.shape().size("key");
  for (std::size_t row = 0; row < open.size(); row += keys) {
    const auto cells = open.data().subspan(row, keys);
    const bool closed = std::ranges::find(cells, 1.0) == cells.end();
    std::ranges::fill(cells, closed ? number : 0);
  }
  return rewritten(right, "attention_weights", variant, [&](Recipe& recipe) {
    recipe.give("~closed_rows", std::move(open));
    const Instruction weights = *recipe.find("attention_weights");
    recipe.insert_before("attention_weights", in_between("~softmax", weights.op, weights.operands, weights.open));
    recipe.replace("attention_weights", Combine{Binary::add, {}}, {"~softmax", "~closed_rows"});
    leave_open_below(recipe, "attention_weights");
  });
}

std::vector<Rewrite> other_weights(const Recipe& right) {
  const Instruction* mask = right.find("mask");
  if (!mask || !has_softmax(right)) return {};
  Tensor<double> open = right.value("mask");
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
