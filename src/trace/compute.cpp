#include "trace/compute.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "trace/bounds.h"
#include "trace/rounding.h"

namespace attn {

std::vector<bool> needed_for(const Recipe& recipe, std::vector<bool> lines) {
  for (std::size_t line = recipe.size(); line-- > 0;) {
    if (!lines[line]) continue;
    for (const std::size_t operand : recipe.operands(line)) lines[operand] = true;
    if (const auto open = recipe.open(line)) lines[*open] = true;
  }
  return lines;
}

ComputingPolicy::ComputingPolicy(Backend& backend, Arithmetic arithmetic, std::function<void(std::string_view)> told)
    : backend_(backend), arithmetic_(arithmetic), told_(std::move(told)) {}

void ComputingPolicy::keep_only(const Recipe& recipe, const std::vector<std::size_t>& lines) {
  kept_.assign(recipe.size(), false);
  for (const std::size_t line : lines) kept_[line] = true;
  wanted_ = needed_for(recipe, kept_);
}

SharedTensor<double> ComputingPolicy::make(const Recipe& recipe, std::size_t line, const Values<double>& carried) {
  const auto& given = recipe.instruction(line).given;
  return given && !is_kept(line) ? given->points.passing() : Policy::make(recipe, line, carried);
}

Tensor<double> ComputingPolicy::compute(const Recipe& recipe, std::size_t line, const Values<double>& carried) {
  const Instruction& instruction = recipe.instruction(line);
  if (told_) told_(instruction.id());
  Tensor<double> made = run_line_on(backend_, recipe, line, carried, arithmetic_.dtype);
  if (arithmetic_.hand_rounding) {
    const Tensor<double>* open = recipe.open(line) ? carried[*recipe.open(line)] : nullptr;
    round_by_hand(instruction.op, recipe.operands(line).size(), *arithmetic_.hand_rounding, open, made);
    for (double& number : made.data()) number = stored(number, arithmetic_.dtype);
  }
  return made;
}

void compute(Recipe recipe, Policy<double>& policy, Trace& trace, bool wants_bounds) {
  const Evaluation<double> worked_out = evaluate(recipe, policy);
  std::vector<Bounds> bounds;
  if (wants_bounds) bounds = bounds_of(recipe, worked_out.carried);
  auto own = worked_out.own.begin();  // in the order of the lines
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& instruction = recipe.instruction(line);
    if (instruction.kind == Instruction::Kind::given) trace.givens.emplace_back(recipe.shared(line));
    if (instruction.kind == Instruction::Kind::step && worked_out.computed[line]) {
      auto its = wants_bounds ? std::make_shared<const Bounds>(std::move(bounds[line])) : nullptr;
      own = std::ranges::find(own, worked_out.own.end(), worked_out.computed[line], &SharedTensor<double>::get);
      trace.steps.emplace_back(recipe.shared(line), *own, std::move(its));
    }
  }
  trace.recipe = std::move(recipe);
}

}  // namespace attn
