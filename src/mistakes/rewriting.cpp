#include "mistakes/rewriting.h"

#include <cmath>
#include <variant>

#include "base/math.h"

namespace attn {

Instruction in_between(std::string id, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  return {.id = std::move(id),
          .op = std::move(op),
          .operands = std::move(operands),
          .open = std::move(open),
          .on_paper = false};
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

std::size_t head_count(const Recipe& recipe) {
  const std::size_t heads = size_along(recipe, "queries", "head");
  return heads == 0 ? 1 : heads;
}

std::size_t input_width(const Recipe& recipe) {
  return size_along(recipe, recipe.has("inputs") ? "inputs" : "inputs.query", "d_model");
}

std::optional<Map> asked_scale(const Recipe& recipe) {
  const Instruction* scaled = recipe.find("scaled_scores");
  const auto* scale = scaled ? std::get_if<Map>(&scaled->op) : nullptr;
  return scale ? std::optional(*scale) : std::nullopt;
}

Map divided_by_root(std::size_t width) {
  return {Unary::divide, sqrt(static_cast<double>(width)), "√" + std::to_string(width)};
}

double factor(const Map& scale) { return scale.function == Unary::divide ? 1 / scale.parameter : scale.parameter; }

bool has_softmax(const Recipe& recipe) {
  const Instruction* weights = recipe.find("attention_weights");
  return weights && std::holds_alternative<Softmax>(weights->op) && recipe.has("row_maximum") &&
         recipe.has("exponentials") && recipe.has("exponential_sums");
}

SoftmaxInput softmax_input(const Recipe& recipe) {
  const Instruction* maximum = recipe.find("row_maximum");
  SoftmaxInput input{maximum->operands[0], maximum->open};
  if (maximum->operands.size() > 1) input.sink = maximum->operands[1];
  if (const auto* powers = std::get_if<Softmax>(&recipe.find("exponentials")->op)) input.base = powers->base;
  return input;
}

std::optional<WeightedSum> weighted_sum(const Recipe& recipe) {
  const Instruction* context = recipe.find("context");
  if (context && std::holds_alternative<Reduce>(context->op)) {
    if (context->operands.size() > 1) return std::nullopt;
    context = recipe.find("weighted_values");
  }
  if (!context || context->operands.size() != 2) return std::nullopt;
  return WeightedSum{context->operands[0], context->operands[1], context->open};
}

void weigh(Recipe& recipe, const WeightedSum& sum) {
  const std::vector<Operand> operands = {sum.weights, sum.values};
  const bool adds_up = std::holds_alternative<Reduce>(recipe.find("context")->op);
  if (recipe.has("weighted_values")) {
    recipe.replace("weighted_values", Combine{Binary::multiply, {}}, operands, sum.open);
  }
  if (!adds_up) recipe.replace("context", Contract{"key"}, operands, sum.open);
}

void end_where_widths_differ(Recipe& recipe) {
  const Instruction* output = recipe.find("output");
  const auto* product = output ? std::get_if<Contract>(&output->op) : nullptr;
  if (!product) return;
  const Operand source = output->operands[0];
  const Axis width = product->over;
  if (size_along(recipe, source.id, width) == size_along(recipe, output->operands[1].id, width)) return;
  recipe.replace("output", Copy{}, {read_as(source, width, "d_out")});
}

void leave_open_below(Recipe& recipe, std::string_view id, bool also_weights) {
  bool below = false;
  std::vector<Instruction> lines;
  for (const Instruction& line : recipe.instructions()) {
    if (below && line.open && line.open->id == "mask" && (also_weights || line.id != "attention_weights")) {
      lines.push_back(line);
    }
    below = below || line.id == id;
  }
  for (const Instruction& line : lines) recipe.replace(line.id, line.op, line.operands);
}

}  // namespace attn
