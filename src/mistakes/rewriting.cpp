#include "mistakes/rewriting.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <variant>

#include "base/math.h"

namespace attn {

Instruction line(std::string id, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  return {.heading = {.id = std::move(id)},
          .op = std::move(op),
          .operands = std::move(operands),
          .open = std::move(open),
          .kind = Instruction::Kind::between};
}

Instruction given_line(std::string id, Tensor<double> numbers) {
  Instruction made = line(std::move(id), Given{}, {});
  made.given.emplace(LateTensor<double>(std::move(numbers)));
  return made;
}

namespace {

// An id that no instruction of the recipe has: an earlier rewrite may have used it.
std::string unused(const Recipe& recipe, std::string id) {
  while (recipe.has(id)) id.insert(0, 1, '~');
  return id;
}

// The lines with ids of their own for what only the rewrite needs.
void make_unused(const Recipe& recipe, std::vector<Instruction>& lines) {
  for (auto made = lines.begin(); made != lines.end(); ++made) {
    const std::string id = made->id();
    if (!id.starts_with('~') || !recipe.has(id)) continue;
    made->heading.id = unused(recipe, id);
    // What stands above it, and itself, reads the one that was there.
    for (auto reader = std::next(made); reader != lines.end(); ++reader) {
      for (Operand& operand : reader->operands) {
        if (operand.id == id) operand.id = made->id();
      }
      if (reader->open && reader->open->id == id) reader->open->id = made->id();
    }
  }
}

}  // namespace

Rewrite rewritten(const RightAttention& right, std::string step, std::string variant, std::vector<Instruction> lines) {
  Rewrite made{std::move(step), std::move(variant), right.recipe};
  make_unused(right.recipe, lines);
  for (auto at = lines.begin(); at != lines.end(); ++at) {
    if (at->given) {
      made.recipe.give(at->id(), at->given->points.numbers());
    } else if (made.recipe.has(at->id())) {
      made.recipe.replace(at->id(), at->op, at->operands, at->open);
    } else {
      const auto next = std::find_if(at, lines.end(), [&](const Instruction& one) { return right.has(one.id()); });
      if (next == lines.end()) throw std::logic_error(at->id());  // no line of the recipe comes behind it
      made.recipe.insert_before(next->id(), *at);
    }
  }
  return made;
}

Rewrite with_op(Rewrite made, const StepId& step, Op op) {
  const Instruction now = *made.recipe.find(step);
  made.recipe.replace(step, std::move(op), now.operands, now.open);
  return made;
}

Rewrite left_open_below(Rewrite made, const Anatomy& at, std::string_view id, bool also_weights) {
  for (std::size_t line = *made.recipe.line(id) + 1; line < made.recipe.size(); ++line) {
    const Instruction reads = made.recipe.instruction(line);
    const bool stays = !also_weights && reads.id() == at.weights;
    if (reads.open && reads.open->id == at.mask && !stays) made.recipe.replace(reads.id(), reads.op, reads.operands);
  }
  return made;
}

Rewrite ended_where_widths_differ(Rewrite made, const Anatomy& at) {
  const Instruction* output = made.recipe.find(at.output);
  const auto* product = output ? std::get_if<Contract>(&output->op) : nullptr;
  if (!product) return made;
  const Operand source = output->operands[0];
  const Axis width = product->over;
  if (size_along(made.recipe, source.id, width) == size_along(made.recipe, output->operands[1].id, width)) return made;
  made.recipe.replace(at.output, Copy{}, {read_as(source, width, "d_out")});
  return made;
}

void append(Rewrites& all, Rewrites more) { std::ranges::move(more, std::back_inserter(all)); }

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
  return std::max<std::size_t>(size_along(right, right.at.queries, "head"), 1);
}

StepId as_read(const RightAttention& right, StepId vectors) {
  for (const auto& own : right.instructions()) {
    const auto* join = std::get_if<Join>(&own->op);
    const bool joins = (join && join->axis == "key") || std::holds_alternative<Repeat>(own->op);
    if (joins && std::ranges::find(own->operands, vectors, &Operand::id) != own->operands.end()) vectors = own->id();
  }
  return vectors;
}

std::size_t input_width(const RightAttention& right) { return size_along(right, right.at.query_inputs, "d_model"); }

std::vector<std::shared_ptr<const Instruction>> instructions_with_inputs(const RightAttention& right) {
  std::vector<std::shared_ptr<const Instruction>> all, inputs;
  for (std::size_t line = 0; line < right.recipe.size(); ++line) {
    const std::shared_ptr<const Instruction>& one = right.recipe.shared(line);
    const RecipePart& part = right.recipe.parts()[one->part];
    if (part.attention) {
      if (one->part == right.part) {
        std::ranges::move(inputs, std::back_inserter(all));
        all.push_back(one);
      }
      inputs.clear();
    } else if (!part.norm && !part.network && !part.residual) {
      inputs.push_back(one);
    }
  }
  return all;
}

std::vector<Instruction> lines_counted_on(const RightAttention& right, std::int64_t by) {
  std::vector<Instruction> lines;
  for (const auto& own : instructions_with_inputs(right)) {
    if (const auto* waves = std::get_if<Waves>(&own->op)) {
      Waves moved = *waves;
      moved.first = static_cast<std::size_t>(static_cast<std::int64_t>(waves->first) + by);
      lines.push_back(line(own->id(), moved, own->operands));
    } else if (const auto* pick = std::get_if<Pick>(&own->op); pick && pick->axis == "position") {
      Tensor<std::int64_t> rows(pick->rows.shape());
      std::ranges::transform(pick->rows.data(), rows.data().begin(), [by](std::int64_t row) { return row + by; });
      const auto [first, last] = std::ranges::minmax(rows.data());
      if (first < 0 || last >= static_cast<std::int64_t>(size_along(right, own->operands[0].id, "position"))) return {};
      lines.push_back(line(own->id(), Pick{pick->axis, Rows(std::move(rows))}, own->operands));
    }
  }
  return lines;
}

std::optional<Map> asked_scale(const RightAttention& right) {
  const Instruction* scaled = right.find(right.at.scaled);
  const auto* scale = scaled ? std::get_if<Map>(&scaled->op) : nullptr;
  return scale ? std::optional(*scale) : std::nullopt;
}

std::optional<Map> asked_division(const RightAttention& right) {
  const auto asked = asked_scale(right);
  return asked && asked->function == Unary::divide ? asked : std::nullopt;
}

Map divided_by_root(std::size_t width) {
  return {Unary::divide, sqrt(static_cast<double>(width)), "√" + std::to_string(width)};
}

double factor(const Map& scale) { return scale.function == Unary::divide ? 1 / scale.parameter : scale.parameter; }

std::optional<SoftmaxInput> softmax_input(const RightAttention& right) {
  const Instruction* weights = right.find(right.at.weights);
  const Instruction* maximum = right.find(right.at.maximum);
  if (!weights || !std::holds_alternative<Softmax>(weights->op) || !maximum) return std::nullopt;
  SoftmaxInput input{maximum->operands[0], maximum->open};
  if (maximum->operands.size() > 1) input.sink = maximum->operands[1];
  // Where there is a maximum, there are powers and their sums.
  if (const auto* powers = std::get_if<Softmax>(&right.find(right.at.exponentials)->op)) input.base = powers->base;
  return input;
}

Instruction maximum_line(std::string id, const SoftmaxInput& input, Operand scores, Axis over) {
  std::vector<Operand> operands = {std::move(scores)};
  if (input.sink) operands.push_back(*input.sink);
  return line(std::move(id), Softmax{Softmax::Part::maximum, std::move(over), input.base}, operands, input.open);
}

Instruction exponentials_line(std::string id, const SoftmaxInput& input, Operand scores, Operand most) {
  return line(std::move(id), Softmax{Softmax::Part::exponentials, "key", input.base},
              {std::move(scores), std::move(most)}, input.open);
}

std::vector<Instruction> plain_powers_lines(std::string id, const SoftmaxInput& input) {
  return {given_line("~nothing", Tensor<double>(Shape{}, {0})),
          exponentials_line(std::move(id), input, input.scores, "~nothing")};
}

Instruction sums_line(std::string id, const SoftmaxInput& input, Operand powers, Operand most, Axis over) {
  std::vector<Operand> operands = {std::move(powers)};
  if (input.sink) operands.insert(operands.end(), {*input.sink, std::move(most)});
  return line(std::move(id), Softmax{Softmax::Part::sum, std::move(over), input.base}, operands);
}

Instruction weights_line(std::string id, const SoftmaxInput& input, Operand powers, Operand sums, Axis over) {
  return line(std::move(id), Softmax{Softmax::Part::weights, std::move(over), input.base},
              {std::move(powers), std::move(sums)}, input.open);
}

std::vector<Instruction> largest_lines(std::string id, Operand weights, std::optional<Operand> open) {
  const SoftmaxInput input{.scores = "~steep", .open = std::move(open)};
  return {line("~steep", Map{Unary::multiply, steep, ""}, {std::move(weights)}),
          maximum_line("~steepest", input, "~steep"), exponentials_line("~apart", input, "~steep", "~steepest"),
          sums_line("~how_many", input, "~apart", "~steepest"),
          weights_line(std::move(id), input, "~apart", "~how_many")};
}

Tensor<double> equal_weights(Tensor<double> counted) {
  const std::size_t keys = counted.shape().size("key");
  for (std::size_t row = 0; row < counted.size(); row += keys) {
    const auto cells = counted.data().subspan(row, keys);
    const double number = static_cast<double>(std::ranges::count(cells, 1.0));
    for (double& cell : cells) cell = cell == 1 ? 1 / number : 0;
  }
  return counted;
}

std::vector<std::size_t> empty_rows(const Tensor<double>& open) {
  const std::size_t keys = open.shape().size("key");
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < open.size(); row += keys) {
    const auto cells = open.data().subspan(row, keys);
    if (std::ranges::find(cells, 1.0) == cells.end()) rows.push_back(row);
  }
  return rows;
}

Rewrite with_empty_rows_levelled(Rewrite made, const Anatomy& at, Tensor<double> open) {
  const std::size_t keys = open.shape().size("key");
  for (const std::size_t row : empty_rows(open)) std::ranges::fill(open.data().subspan(row, keys), 1.0);
  Recipe& recipe = made.recipe;
  const std::string read = unused(recipe, "~read"), levelled = unused(recipe, "~levelled");
  recipe.give(read, std::move(open));
  recipe.insert_before(at.maximum, line(levelled, Map{Unary::multiply, 1, ""}, {at.masked}, at.mask));
  for (std::size_t line = *recipe.line(levelled) + 1; line < recipe.size(); ++line) {
    const std::string reader = recipe.instruction(line).id();
    recipe.redirect(reader, at.masked, levelled);
    recipe.redirect(reader, at.mask, read);
  }
  return made;
}

}  // namespace attn
