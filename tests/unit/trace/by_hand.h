#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference_backend.h"
#include "trace/compute.h"
#include "trace/recipe_builder.h"
#include "trace/trace.h"

// Pieces of traces that tests put together themselves.

namespace attn {

inline Step step_of(Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open,
                    Tensor<double> numbers) {
  return {
      Instruction{
          .heading = std::move(heading), .op = std::move(op), .operands = std::move(operands), .open = std::move(open)},
      std::move(numbers)};
}

inline GivenTensor given_of(Heading heading, Tensor<double> numbers) {
  return GivenTensor(
      std::make_shared<const Instruction>(Instruction{.heading = std::move(heading),
                                                      .op = Given{},
                                                      .given = GivenNumbers(LateTensor<double>(std::move(numbers))),
                                                      .kind = Instruction::Kind::given}));
}

// The same trace with another number at one place of a step.
inline Trace with_number(Trace trace, const std::string& id, std::size_t at, double number) {
  std::vector<Step> steps;
  for (const Step& step : trace.steps) {
    Tensor<double> numbers = step.result;
    if (step.heading.id == id) numbers[at] = number;
    steps.push_back(step_of(step.heading, step.op, step.operands, step.open, std::move(numbers)));
  }
  trace.steps.clear();
  for (const Step& step : steps) trace.steps.push_back(step);
  return trace;
}

// What was written down, worked out by plain loops.
inline Trace worked_out(Recipe recipe, const Arithmetic& arithmetic = {}) {
  ReferenceBackend backend;
  Trace trace;
  trace.arithmetic = arithmetic;
  ComputingPolicy policy(backend, trace.arithmetic);
  compute(std::move(recipe), policy, trace);
  trace.result = trace.steps.back().heading.id;
  return trace;
}
inline Trace worked_out(RecipeBuilder& work) { return worked_out(work.take(), work.arithmetic()); }

}  // namespace attn
