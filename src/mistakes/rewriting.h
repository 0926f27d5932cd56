#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mistakes/mistake.h"

// What the families have in common: words for changing a recipe.

namespace attn {

// What the rule makes of some part of the attention, where it has one:
// rule(right, *part(right)).
template <auto part, auto rule>
Rewrites where(const RightAttention& right) {
  const auto found = part(right);
  return found ? rule(right, *found) : Rewrites();
}

// A line of a rewrite: another computation in the place of the step of that id,
// or one that only the rewrite needs, whose id begins with "~", so that it is no
// step's: nobody writes it down, or rounds it.
Instruction line(std::string id, Op op, std::vector<Operand> operands, std::optional<Operand> open = {});

// Numbers that only the rewrite needs.
Instruction given_line(std::string id, Tensor<double> numbers);

// The recipe with these lines: each stands in the place of the one of its id, or
// just before the next of them that does. An id with "~" that the recipe has
// already, from another rewrite, becomes one that it has not: nobody asks for it
// by its name afterwards. REQUIRES: the last one does.
Rewrite rewritten(const RightAttention& right, std::string step, std::string variant, std::vector<Instruction> lines);

// The same, or the recipe, with that step under another operation.
Rewrite with_op(Rewrite made, const StepId& step, Op op);
inline Rewrite with_op(const RightAttention& right, const StepId& step, Op op) {
  return with_op(Rewrite{step, "", right.recipe}, step, std::move(op));
}

// The same with nothing closed any more below the line `id`, but perhaps the attention weights.
Rewrite left_open_below(Rewrite made, const Anatomy& at, std::string_view id, bool also_weights = true);

// Where the context got another width than the output projection takes, nobody
// can go on: what there is stands for the output.
Rewrite ended_where_widths_differ(Rewrite made, const Anatomy& at);

// Puts more behind them.
void append(Rewrites& all, Rewrites more);

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

// What scores and context read of these keys or values: with those of a cache and those put behind them, and once for
// each query head, where there are such steps; else they themselves.
StepId as_read(const RightAttention& right, StepId vectors);

// The width of the inputs that the queries are made from; 0 where queries are given.
std::size_t input_width(const RightAttention& right);

// The instructions of this attention; behind those of a block that make what goes into its first attention, where this
// is that one: there positions are added for all of its attentions.
std::vector<std::shared_ptr<const Instruction>> instructions_with_inputs(const RightAttention& right);

// The lines that number positions, vectors or angles for them, with all numbers
// raised; none where there are none, or a table has no such rows.
std::vector<Instruction> lines_counted_on(const RightAttention& right, std::int64_t by);

// What scaled_scores does to the scores; nothing where no scale is asked for.
std::optional<Map> asked_scale(const RightAttention& right);

// The same where that is a division, by √d_k or another number.
std::optional<Map> asked_division(const RightAttention& right);

// ÷√width.
Map divided_by_root(std::size_t width);

// What the scores are multiplied by.
double factor(const Map& scale);

// What the softmax reads: the last of the scores, what closes them, one more
// score a row; and the base of its powers, 0 for e.
struct SoftmaxInput {
  Operand scores;
  std::optional<Operand> open = {};
  std::optional<Operand> sink = {};
  double base = 0;
};

// Nothing where the weights are no softmax.
std::optional<SoftmaxInput> softmax_input(const RightAttention& right);

// The lines of such a softmax, under these ids and of these operands. A sink
// counts in the maximum and in the sum.
Instruction maximum_line(std::string id, const SoftmaxInput& input, Operand scores, Axis over = "key");
Instruction exponentials_line(std::string id, const SoftmaxInput& input, Operand scores, Operand most);
Instruction sums_line(std::string id, const SoftmaxInput& input, Operand powers, Operand most, Axis over = "key");
Instruction weights_line(std::string id, const SoftmaxInput& input, Operand powers, Operand sums, Axis over = "key");

// Powers of the scores themselves: what is subtracted from them is 0, "~nothing".
std::vector<Instruction> plain_powers_lines(std::string id, const SoftmaxInput& input);

// So steep that a softmax gives all to the largest, even by the tenth decimal, and yet tells no
// two scores apart that only rounding in double precision does.
constexpr double steep = 1e12;

// 1 for the largest of each row of weights, as the last of these lines, `id`; 0 for all others.
std::vector<Instruction> largest_lines(std::string id, Operand weights, std::optional<Operand> open);

// Every key counts for as much, of those that are 1 in `counted`, its keys last.
Tensor<double> equal_weights(Tensor<double> counted);

// Where in a mask, its keys last, the rows begin that have no open cell.
std::vector<std::size_t> empty_rows(const Tensor<double>& open);

// The rewrite with the same weight everywhere in such rows of its mask `open`, as
// a softmax gives that subtracts a large number in place of closing.
Rewrite with_empty_rows_levelled(Rewrite made, const Anatomy& at, Tensor<double> open);

}  // namespace attn
