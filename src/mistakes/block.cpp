#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mistakes/part_rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

Rewrites residual_left_out(const RightPart& right) {
  if (!right.at.residual) return {};
  const Instruction& sum = *right.recipe.find(right.at.residual->result);
  if (sum.operands.size() != 2) return {};
  return {replaced(right, sum.id(), Copy{}, {sum.operands[1]})};
}

Rewrites norm_left_out(const RightPart& right) {
  if (!right.at.norm) return {};
  return {replaced(right, right.at.norm->result, Copy{}, {right.at.norm->from})};
}

// The steps of a norm, in order: by their names, for another rewrite may have put them
// into another part.
std::vector<Instruction> steps_of_norm(const Recipe& recipe, const NormAnatomy& norm) {
  std::vector<Instruction> steps;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& one = recipe.instruction(line);
    const bool is_own = one.id() == norm.result || one.id().starts_with(norm.result + ".");
    if (is_own && one.kind == Instruction::Kind::step) steps.push_back(one);
  }
  return steps;
}

// Takes the steps away. REQUIRES: nobody else reads them.
void drop(Recipe& recipe, const std::vector<Instruction>& steps) {
  std::vector<bool> wanted(recipe.size(), true);
  for (const Instruction& step : steps) wanted[*recipe.line(step.id())] = false;
  recipe.keep(wanted);
}

// The first line of that part that reads the step.
std::optional<StepId> first_reader(const Recipe& recipe, std::size_t part, const StepId& step) {
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& one = recipe.instruction(line);
    const bool reads = std::ranges::any_of(one.operands, [&](const Operand& operand) { return operand.id == step; });
    if (one.part == part && reads) return one.id();
  }
  return std::nullopt;
}

// The same steps of what was one thing, of another.
std::vector<Instruction> steps_of(std::vector<Instruction> steps, const StepId& from, const StepId& other) {
  for (Instruction& step : steps) {
    for (Operand& operand : step.operands) {
      if (operand.id == from) operand.id = other;
    }
  }
  return steps;
}

// One residual of a recipe whose norm is put elsewhere; nothing where it has none there.
// What goes through the layers may be another step than the problem asks for: who puts
// one norm elsewhere often does so with all.
std::optional<Rewrite> with_norm_before(Recipe recipe, const ResidualAnatomy& at) {
  if (!at.norm || at.norm_first) return std::nullopt;
  const NormAnatomy norm = *recipe.parts()[*at.norm].norm;
  const StepId from = recipe.find(at.result)->operands[0].id;
  const std::vector<Instruction> steps = steps_of_norm(recipe, norm);
  Rewrite made{steps.front().id(), "", std::move(recipe)};
  redirect_all(made.recipe, norm.result, norm.result, at.result);
  drop(made.recipe, steps);
  const auto place = first_reader(made.recipe, at.sublayer, from);
  if (!place) return std::nullopt;
  for (Instruction step : steps_of(steps, norm.from, from)) made.recipe.insert_before(*place, std::move(step));
  redirect_all(made.recipe, norm.result, from, norm.result, at.sublayer);
  return made;
}

std::optional<Rewrite> with_norm_after(Recipe recipe, const ResidualAnatomy& at) {
  if (!at.norm || !at.norm_first) return std::nullopt;
  const NormAnatomy norm = *recipe.parts()[*at.norm].norm;
  const StepId from = recipe.find(at.result)->operands[0].id;
  const std::vector<Instruction> steps = steps_of_norm(recipe, norm);
  Rewrite made{first_reader(recipe, at.sublayer, norm.result).value_or(at.made), "", std::move(recipe)};
  redirect_all(made.recipe, norm.result, norm.result, from);
  drop(made.recipe, steps);
  const std::size_t behind = *made.recipe.line(at.result) + 1;
  const std::vector<Instruction> moved = steps_of(steps, from, at.result);
  if (behind == made.recipe.size()) {
    for (const Instruction& step : moved) made.recipe.append(step);
    return made;
  }
  const StepId next = made.recipe.instruction(behind).id();
  for (const Instruction& step : moved) made.recipe.insert_before(next, step);
  redirect_all(made.recipe, norm.result, at.result, norm.result);
  return made;
}

// The norm of this residual elsewhere, and those of all from this one on.
template <auto moved>
Rewrites norm_elsewhere(const RightPart& right) {
  if (!right.at.residual) return {};
  const auto one = moved(right.recipe, *right.at.residual);
  if (!one) return {};
  Rewrites all = {*one};
  Rewrite every = *one;
  for (std::size_t part = right.part + 1; part < right.recipe.parts().size(); ++part) {
    const auto& residual = right.recipe.parts()[part].residual;
    auto more = residual ? moved(every.recipe, *residual) : std::nullopt;
    if (more) every = {every.step, language().mistakes.from_here_on, std::move(more->recipe)};
  }
  if (!every.variant.empty()) all.push_back(std::move(every));
  return all;
}

// "layer2." of "layer2.self"; empty where it is another part, or of the first layer.
std::string later_layer(const std::string& prefix) {
  const std::size_t layer = prefix.find("layer");
  const std::size_t end = layer == std::string::npos ? layer : prefix.find('.', layer);
  if (end == std::string::npos || prefix.substr(layer, end - layer) == "layer1") return "";
  return prefix.substr(0, end + 1);
}

// All that a later layer is given is that of the first one.
Rewrites weights_shared(const RightPart& right) {
  const std::string layer = later_layer(right.at.prefix);
  if (layer.empty() || !right.at.residual || !right.at.prefix.ends_with(".residual1")) return {};
  const std::string first = layer.substr(0, layer.find("layer")) + "layer1.";
  Rewrite made{"", "", right.recipe};
  bool differs = false;
  for (std::size_t line = 0; line < right.recipe.size(); ++line) {
    const Instruction& given = right.recipe.instruction(line);
    const bool is_own = given.kind == Instruction::Kind::given && given.id().starts_with(layer);
    if (!is_own || given.heading.role == Role::mask) continue;
    const std::string other = first + given.id().substr(layer.size());
    const Instruction* there = right.recipe.find(other);
    if (!there || !there->given || right.recipe.shape(other) != right.recipe.shape(line)) return {};
    differs = differs || right.recipe.given(other) != right.recipe.given(given.id());
    for (std::size_t reader = line + 1; reader < made.recipe.size(); ++reader) {
      const StepId id = made.recipe.instruction(reader).id();
      const bool reads = std::ranges::any_of(made.recipe.instruction(reader).operands,
                                             [&](const Operand& operand) { return operand.id == given.id(); });
      if (!reads) continue;
      made.recipe.redirect(id, given.id(), other);
      if (made.step.empty() || *made.recipe.line(id) < *made.recipe.line(made.step)) made.step = id;
    }
  }
  return differs ? Rewrites{std::move(made)} : Rewrites();
}

}  // namespace

Family block_family() {
  const MistakeWords& said = language().mistakes;
  return {said.block,
          {
              {.id = "block.residual_left_out", .words = said.block_residual_left_out, .of_part = residual_left_out},
              {.id = "block.norm_before", .words = said.block_norm_before, .of_part = norm_elsewhere<with_norm_before>},
              {.id = "block.norm_after", .words = said.block_norm_after, .of_part = norm_elsewhere<with_norm_after>},
              {.id = "block.norm_left_out", .words = said.block_norm_left_out, .of_part = norm_left_out},
              {.id = "block.weights_shared", .words = said.block_weights_shared, .of_part = weights_shared},
          }};
}

}  // namespace attn
