#include "model/forward.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "model/attention.h"
#include "trace/compute.h"
#include "trace/cost.h"

namespace attn {
namespace {

// The lines that the step follows from, and no other.
Recipe recipe_up_to(const Problem& problem, std::string_view step) {
  Recipe recipe = recipe_of(problem, {.no_weighted_values = true});
  std::vector<bool> wanted(recipe.size());
  wanted[*recipe.line(step)] = true;
  for (std::size_t line = recipe.size(); line-- > 0;) {
    if (!wanted[line]) continue;
    for (const std::size_t operand : recipe.operands(line)) wanted[operand] = true;
    if (const auto open = recipe.open(line)) wanted[*open] = true;
  }
  recipe.keep(wanted);
  return recipe;
}

bool is_given(const Recipe& recipe, std::size_t line) { return recipe.instruction(line).given.has_value(); }

}  // namespace

// Works products out that were made ready, and the rest as any computation does.
class Forward::Policy final : public ComputingPolicy {
 public:
  Policy(const Recipe& recipe, Backend& backend, const Arithmetic& arithmetic)
      : ComputingPolicy(backend, arithmetic),
        products_(recipe.size()),
        is_read_(recipe.size()),
        is_given_(recipe.size()) {
    keep_only(recipe, {recipe.size() - 1});
    for (std::size_t line = 0; line < recipe.size(); ++line) {
      is_given_[line] = is_given(recipe, line);
      if (!arithmetic.hand_rounding) make_ready(recipe, line, backend);
      const std::vector<std::size_t>& operands = recipe.operands(line);
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!products_[line] || i != matrix) is_read_[operands[i]] = true;
      }
      if (const auto open = recipe.open(line)) is_read_[*open] = true;
    }
    is_read_.back() = true;
  }

  // What is given and read as it is stays at hand.
  bool is_kept(std::size_t line) const override { return ComputingPolicy::is_kept(line) || is_given_[line]; }

  SharedTensor<double> make(const Recipe& recipe, std::size_t line, const Values<double>& carried) override {
    if (is_given_[line] && !is_read_[line]) {
      return std::make_shared<const Tensor<double>>(Tensor<double>::without_numbers(recipe.shape(line)));
    }
    return ComputingPolicy::make(recipe, line, carried);
  }

  Tensor<double> compute(const Recipe& recipe, std::size_t line, const Values<double>& carried) override {
    if (!products_[line]) return ComputingPolicy::compute(recipe, line, carried);
    return products_[line]->run(views_of(recipe, line, carried), recipe.shape(line));
  }

 private:
  static constexpr std::size_t matrix = 1;  // the operand of a product that stays

  void make_ready(const Recipe& recipe, std::size_t line, Backend& backend) {
    const Instruction& instruction = recipe.instruction(line);
    const std::vector<std::size_t>& operands = recipe.operands(line);
    if (!std::holds_alternative<Contract>(instruction.op) || recipe.open(line)) return;
    if (!is_given(recipe, operands[matrix])) return;
    const SharedTensor<double> numbers = recipe.instruction(operands[matrix]).given->points.passing();
    Values<double> carried(recipe.size());
    carried[operands[matrix]] = numbers.get();
    products_[line] =
        backend.ready(instruction.op, views_of(recipe, line, carried), recipe.shape(line), recipe.dtype());
  }

  std::vector<std::unique_ptr<ReadyProduct>> products_;  // by line; null where there is none
  std::vector<bool> is_read_, is_given_;                 // lines whose numbers somebody reads, or that are given
};

Forward::Forward(const Problem& problem, std::string_view step, Backend& backend)
    : recipe_(recipe_up_to(problem, step)), policy_(std::make_unique<Policy>(recipe_, backend, problem.arithmetic)) {}

Forward::~Forward() = default;

SharedTensor<double> Forward::run() {
  const Evaluation<double> made = evaluate(recipe_, *policy_);
  return made.shared_result(recipe_.size() - 1);
}

std::size_t Forward::working_bytes() const { return bytes_held(recipe_, *policy_) - given_count() * sizeof(double); }

double Forward::operations() const {
  double all = 0;
  for (const StepCost& step : costs_of(recipe_)) {
    if (std::holds_alternative<Contract>(recipe_.instruction(step.line).op)) {
      all += step.cost.multiplications + step.cost.additions;
    }
  }
  return all;
}

std::size_t Forward::given_count() const {
  std::size_t all = 0;
  for (std::size_t line = 0; line < recipe_.size(); ++line) {
    if (is_given(recipe_, line)) all += recipe_.shape(line).count();
  }
  return all;
}

}  // namespace attn
