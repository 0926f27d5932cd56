#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mistakes/mistake.h"

// What the families have in common: words for changing a recipe.

namespace attn {

using Rewrites = std::vector<Rewrite>;

// The recipe after `change` was made to it.
template <class Change>
Rewrite rewritten(const RightAttention& right, std::string step, std::string variant, Change change) {
  Rewrite made{std::move(step), std::move(variant), right.recipe};
  change(made.recipe);
  return made;
}

// A line that only the rewrite needs: nobody writes it down, or rounds it.
// Ids begin with "~", so that they are no step's.
Instruction in_between(std::string id, Op op, std::vector<Operand> operands, std::optional<Operand> open = {});

// The same operand with an axis called by another name, and with two axes
// exchanged: its transpose.
Operand read_as(Operand operand, const Axis& from, const Axis& to);
Operand transposed(Operand operand, const Axis& one, const Axis& other);

// How many there are along the axis; 0 where there is no such axis or step, or
// where it does not fit.
std::size_t size_along(const Recipe& recipe, std::string_view id, std::string_view axis);
inline std::size_t size_along(const RightAttention& right, std::string_view id, std::string_view axis) {
  return size_along(right.recipe, id, axis);
}

// Heads side by side: 1 where there is no head axis.
std::size_t head_count(const RightAttention& right);

// The width of the inputs that the queries are made from; 0 where queries are given.
std::size_t input_width(const RightAttention& right);

// What scaled_scores does to the scores; nothing where no scale is asked for.
std::optional<Map> asked_scale(const RightAttention& right);

// ÷√width.
Map divided_by_root(std::size_t width);

// What the scores are multiplied by.
double factor(const Map& scale);

// What the softmax reads: the last of the scores, what closes them, one more
// score a row; and the base of its powers, 0 for e.
// REQUIRES: has_softmax(right).
struct SoftmaxInput {
  const Anatomy& at;
  Operand scores;
  std::optional<Operand> open;
  std::optional<Operand> sink = {};
  double base = 0;
};
bool has_softmax(const RightAttention& right);
SoftmaxInput softmax_input(const RightAttention& right);

// What the context is the weighted sum of.
struct WeightedSum {
  Operand weights, values;
  std::optional<Operand> open;
};

// Nothing where the context is no plain weighted sum.
std::optional<WeightedSum> weighted_sum(const RightAttention& right);

// Lets weighted_values (where it is) and context follow from these.
void weigh(Recipe& recipe, const Anatomy& at, const WeightedSum& sum);

// Below the line `id` nothing is closed any more, but perhaps the attention weights.
void leave_open_below(Recipe& recipe, const Anatomy& at, std::string_view id, bool also_weights = true);

// Where the context got another width than the output projection takes, nobody
// can go on: what there is stands for the output.
void end_where_widths_differ(Recipe& recipe, const Anatomy& at);

}  // namespace attn
