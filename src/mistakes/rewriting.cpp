#include "mistakes/rewriting.h"

#include <cmath>
#include <variant>

#include "base/math.h"

namespace attn {

Instruction in_between(std::string id, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  return {.heading = {.id = std::move(id)},
          .op = std::move(op),
          .operands = std::move(operands),
          .open = std::move(open),
          .kind = Instruction::Kind::between};
}

Operand read_as(Operand operand, const Axis& from, const Axis& to) {
  if (from != to) operand.renamed.emplace_back(from, to);
  return operand;
}

Operand transposed(Operand operand, const Axis& one, const Axis& other) {
  return read_as(read_as(read_as(std::move(operand), one, "~"), other, one), "~", other);
}

std::size_t size_along(const Recipe& recipe, std::string_view id, std::string_view axis) {
  if (!recipe.has(id)) return 0;
  const auto shape = recipe.fitting_shape(id);
  return shape && shape->has(axis) ? shape->size(axis) : 0;
}

std::size_t head_count(const RightAttention& right) {
  const std::size_t heads = size_along(right, right.at.queries, "head");
  return heads == 0 ? 1 : heads;
}

std::size_t input_width(const RightAttention& right) { return size_along(right, right.at.query_inputs, "d_model"); }

std::optional<Map> asked_scale(const RightAttention& right) {
  const Instruction* scaled = right.find(right.at.scaled);
  const auto* scale = scaled ? std::get_if<Map>(&scaled->op) : nullptr;
  return scale ? std::optional(*scale) : std::nullopt;
}

Map divided_by_root(std::size_t width) {
  return {Unary::divide, sqrt(static_cast<double>(width)), "√" + std::to_string(width)};
}

double factor(const Map& scale) { return scale.function == Unary::divide ? 1 / scale.parameter : scale.parameter; }

bool has_softmax(const RightAttention& right) {
  const Instruction* weights = right.find(right.at.weights);
  return weights && std::holds_alternative<Softmax>(weights->op) && right.has(right.at.maximum) &&
         right.has(right.at.exponentials) && right.has(right.at.sums);
}

SoftmaxInput softmax_input(const RightAttention& right) {
  const Instruction* maximum = right.find(right.at.maximum);
  SoftmaxInput input{right.at, maximum->operands[0], maximum->open};
  if (maximum->operands.size() > 1) input.sink = maximum->operands[1];
  if (const auto* powers = std::get_if<Softmax>(&right.find(right.at.exponentials)->op)) input.base = powers->base;
  return input;
}

std::optional<WeightedSum> weighted_sum(const RightAttention& right) {
  const Instruction* context = right.find(right.at.context);
  if (context && std::holds_alternative<Reduce>(context->op)) {
    if (context->operands.size() > 1) return std::nullopt;
    context = right.find(right.at.weighted_values);
  }
  if (!context || context->operands.size() != 2) return std::nullopt;
  return WeightedSum{context->operands[0], context->operands[1], context->open};
}

void weigh(Recipe& recipe, const Anatomy& at, const WeightedSum& sum) {
  const std::vector<Operand> operands = {sum.weights, sum.values};
  const bool adds_up = std::holds_alternative<Reduce>(recipe.find(at.context)->op);
  if (recipe.has(at.weighted_values)) {
    recipe.replace(at.weighted_values, Combine{Binary::multiply, {}}, operands, sum.open);
  }
  if (!adds_up) recipe.replace(at.context, Contract{"key"}, operands, sum.open);
}

void end_where_widths_differ(Recipe& recipe, const Anatomy& at) {
  const Instruction* output = recipe.find(at.output);
  const auto* product = output ? std::get_if<Contract>(&output->op) : nullptr;
  if (!product) return;
  const Operand source = output->operands[0];
  const Axis width = product->over;
  if (size_along(recipe, source.id, width) == size_along(recipe, output->operands[1].id, width)) return;
  recipe.replace(at.output, Copy{}, {read_as(source, width, "d_out")});
}

void leave_open_below(Recipe& recipe, const Anatomy& at, std::string_view id, bool also_weights) {
  for (std::size_t line = *recipe.line(id) + 1; line < recipe.size(); ++line) {
    const Instruction reads = recipe.instruction(line);
    const bool stays = !also_weights && reads.id() == at.weights;
    if (reads.open && reads.open->id == at.mask && !stays) recipe.replace(reads.id(), reads.op, reads.operands);
  }
}

}  // namespace attn
