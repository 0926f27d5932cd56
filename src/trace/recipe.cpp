#include "trace/recipe.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "ops/shapes.h"
#include "trace/replay.h"

namespace attn {
namespace {

auto with_id(std::string_view id) {
  return [id](const Instruction& instruction) { return instruction.id == id; };
}

std::shared_ptr<const Tensor<double>> shared(Tensor<double> value) {
  return std::make_shared<const Tensor<double>>(std::move(value));
}

}  // namespace

Recipe::Recipe(const Trace& trace) : vectors_(trace.vectors), dtype_(trace.arithmetic.dtype) {
  for (const GivenTensor& given : trace.givens) {
    instructions_.push_back({.id = given.heading.id, .op = Given{}, .given = shared(given.value)});
  }
  for (const Step& step : trace.steps) {
    Instruction made{.id = step.heading.id, .op = step.op, .operands = step.operands, .open = step.open};
    if (std::holds_alternative<Given>(step.op)) made.given = shared(step.result);
    instructions_.push_back(std::move(made));
  }
}

const Instruction* Recipe::find(std::string_view id) const {
  const auto found = std::ranges::find_if(instructions_, with_id(id));
  return found == instructions_.end() ? nullptr : &*found;
}

Instruction& Recipe::at(std::string_view id) {
  const auto found = std::ranges::find_if(instructions_, with_id(id));
  assert(found != instructions_.end());
  return *found;
}

std::optional<Shape> Recipe::fitting_shape(std::string_view id) const {
  std::map<std::string, Shape, std::less<>> shapes;
  for (const Instruction& instruction : instructions_) {
    Shape shape;
    if (instruction.given) {
      shape = instruction.given->shape();
    } else {
      std::vector<Shape> read;
      for (const Operand& operand : instruction.operands) {
        read.push_back(shape_as_read(operand, shapes.find(operand.id)->second));
      }
      if (!attn::fits(instruction.op, read)) return std::nullopt;
      shape = result_shape(instruction.op, read, vectors_);
    }
    if (instruction.id == id) return shape;
    shapes.emplace(instruction.id, std::move(shape));
  }
  assert(false);
  return {};
}

Shape Recipe::shape(std::string_view id) const {
  const auto shape = fitting_shape(id);
  assert(shape);
  return *shape;
}

bool Recipe::fits() const { return instructions_.empty() || fitting_shape(instructions_.back().id).has_value(); }

const Tensor<double>& Recipe::given(std::string_view id) const {
  const Instruction* found = find(id);
  assert(found && found->given);
  return *found->given;
}

Tensor<double> Recipe::value(std::string_view id) const {
  const Replay replay(*this);
  std::vector<Tensor<double>> kept(replay.size());
  Replay::Made<double> made;
  for (std::size_t line = 0; line < replay.size(); ++line) {
    kept[line] = replay.is_given(line) ? *replay.instruction(line).given : replay.run(line, made);
    if (replay.instruction(line).id == id) return std::move(kept[line]);
    made.push_back(&kept[line]);
  }
  assert(false);
  return {};
}

void Recipe::replace(std::string_view id, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  Instruction& instruction = at(id);
  instruction.op = std::move(op);
  instruction.operands = std::move(operands);
  instruction.open = std::move(open);
  instruction.given = nullptr;
}

void Recipe::insert_before(std::string_view id, Instruction instruction) {
  assert(!has(instruction.id));
  const auto place = std::ranges::find_if(instructions_, with_id(id));
  assert(place != instructions_.end());
  instructions_.insert(place, std::move(instruction));
}

void Recipe::interpose_after(std::string_view id, Instruction instruction) {
  assert(!has(instruction.id));
  const auto place = std::ranges::find_if(instructions_, with_id(id));
  assert(place != instructions_.end());
  std::vector<std::string> below;
  for (auto reader = place + 1; reader != instructions_.end(); ++reader) below.push_back(reader->id);
  const std::string to = instruction.id;
  instructions_.insert(place + 1, std::move(instruction));
  for (const std::string& reader : below) redirect(reader, id, to);
}

void Recipe::append(Instruction instruction) {
  assert(!has(instruction.id));
  instructions_.push_back(std::move(instruction));
}

void Recipe::give(std::string id, Tensor<double> value) {
  assert(!has(id));
  instructions_.insert(instructions_.begin(),
                       {.id = std::move(id), .op = Given{}, .given = shared(std::move(value)), .on_paper = false});
}

void Recipe::redirect(std::string_view reader, std::string_view from, std::string_view to) {
  Instruction& instruction = at(reader);
  for (Operand& operand : instruction.operands) {
    if (operand.id == from) operand.id = to;
  }
  if (instruction.open && instruction.open->id == from) instruction.open->id = to;
}

}  // namespace attn
