#include <algorithm>
#include <utility>
#include <variant>

#include "mistakes/part_rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

const Instruction& step_of(const RightPart& right, const StepId& id) { return *right.recipe.find(id); }

Rewrites activation_left_out(const RightPart& right) {
  if (!right.at.network) return {};
  const Instruction& active = step_of(right, right.at.network->activation);
  if (std::holds_alternative<Gate>(active.op)) {
    return {replaced(right, active.id(), Combine{Binary::multiply, {}}, active.operands)};
  }
  if (!std::holds_alternative<Map>(active.op)) return {};
  return {replaced(right, active.id(), Copy{}, active.operands)};
}

Rewrites relu_for_another(const RightPart& right) {
  if (!right.at.network) return {};
  const Instruction& active = step_of(right, right.at.network->activation);
  if (const auto* gate = std::get_if<Gate>(&active.op)) {
    return gate->function == Unary::relu ? Rewrites()
                                         : Rewrites{replaced(right, active.id(), Gate{Unary::relu}, active.operands)};
  }
  const auto* map = std::get_if<Map>(&active.op);
  if (!map || map->function == Unary::relu) return {};
  return {replaced(right, active.id(), Map{Unary::relu, 0, ""}, active.operands)};
}

Rewrites gate_left_out(const RightPart& right) {
  if (!right.at.network || right.at.network->gate.empty()) return {};
  const Instruction& active = step_of(right, right.at.network->activation);
  const auto* gate = std::get_if<Gate>(&active.op);
  if (!gate) return {};
  const MistakeWords& said = language().mistakes;
  const StepId& hidden = right.at.network->hidden;
  return {replaced(right, active.id(), Map{gate->function, 0, ""}, {hidden}, said.activation_of_hidden),
          replaced(right, active.id(), Copy{}, {hidden}, said.hidden_as_it_is)};
}

Rewrite without_bias(Rewrite made, const StepId& step) {
  const Instruction now = *made.recipe.find(step);
  made.recipe.replace(step, now.op, {now.operands[0], now.operands[1]});
  return made;
}

Rewrites bias_left_out(const RightPart& right) {
  if (!right.at.network) return {};
  const NetworkAnatomy& at = *right.at.network;
  const MistakeWords& said = language().mistakes;
  Rewrites all;
  Rewrite none{"", said.both_biases, right.recipe};
  for (const auto& [bias, step, words] : {std::tuple(at.in_bias, at.hidden, said.only_in_bias),
                                          {at.gate_bias, at.gate, said.only_gate_bias},
                                          {at.out_bias, at.output, said.only_out_bias}}) {
    if (bias.empty() || step_of(right, step).operands.size() < 3) continue;
    all.push_back(without_bias({step, words, right.recipe}, step));
    if (none.step.empty()) none.step = step;
    none = without_bias(std::move(none), step);
  }
  if (all.size() == 1) all.front().variant.clear();
  if (all.size() > 1) all.push_back(std::move(none));
  return all;
}

Rewrites matrix_transposed(const RightPart& right) {
  if (!right.at.network) return {};
  const NetworkAnatomy& at = *right.at.network;
  Rewrites all;
  for (const auto& [weight, step] : {std::pair(at.in_weight, at.hidden), {at.out_weight, at.output}}) {
    const Instruction& now = step_of(right, step);
    if (now.operands[1].id != weight || !now.operands[1].renamed.empty()) continue;
    std::vector<Operand> operands = now.operands;
    operands[1] = transposed(operands[1], "d_model", "d_hidden");
    all.push_back(replaced(right, step, now.op, std::move(operands), weight.substr(weight.rfind('.') + 1)));
  }
  return all;
}

}  // namespace

Family ffn_family() {
  const MistakeWords& said = language().mistakes;
  return {said.network,
          {
              {.id = "ffn.activation_left_out", .words = said.ffn_activation_left_out, .of_part = activation_left_out},
              {.id = "ffn.relu_for_gelu", .words = said.ffn_relu_for_gelu, .of_part = relu_for_another},
              {.id = "ffn.gate_left_out", .words = said.ffn_gate_left_out, .of_part = gate_left_out},
              {.id = "ffn.bias_left_out", .words = said.ffn_bias_left_out, .of_part = bias_left_out},
              {.id = "ffn.transposed", .words = said.ffn_transposed, .of_part = matrix_transposed},
          }};
}

}  // namespace attn
