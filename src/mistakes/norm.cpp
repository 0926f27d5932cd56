#include <optional>
#include <utility>
#include <variant>

#include "mistakes/part_rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// How the mean is made, or the spread: no mistake has something else in their place.
const Normalize& normalize_of(const RightPart& right, const StepId& step) {
  return std::get<Normalize>(right.recipe.find(step)->op);
}

Rewrites with_normalize(const RightPart& right, const StepId& step, const Normalize& other) {
  return {replaced(right, step, other, right.recipe.find(step)->operands)};
}

Rewrites eps_outside(const RightPart& right) {
  if (!right.at.norm) return {};
  const auto* now = std::get_if<Normalize>(&right.recipe.find(right.at.norm->normalized)->op);
  if (!now || now->eps == 0 || now->eps_outside) return {};
  Normalize other = *now;
  other.eps_outside = true;
  return with_normalize(right, right.at.norm->normalized, other);
}

Rewrites by_one_fewer(const RightPart& right) {
  if (!right.at.norm || right.at.norm->mean.empty()) return {};
  Normalize other = normalize_of(right, right.at.norm->spread);
  if (other.fewer != 0 || size_along(right.recipe, right.at.norm->from, other.over) < 2) return {};
  other.fewer = 1;
  return with_normalize(right, right.at.norm->spread, other);
}

Rewrites mean_kept(const RightPart& right) {
  if (!right.at.norm || right.at.norm->mean.empty()) return {};
  const Instruction& now = *right.recipe.find(right.at.norm->normalized);
  if (now.operands.size() != 3) return {};
  return {replaced(right, now.id(), now.op, {now.operands[0], now.operands[2]})};
}

Rewrites gain_left_out(const RightPart& right) {
  if (!right.at.norm || right.at.norm->normalized == right.at.norm->result) return {};
  const NormAnatomy& at = *right.at.norm;
  const MistakeWords& said = language().mistakes;
  const bool has_both = !at.gain.empty() && !at.bias.empty();
  Rewrites all = {replaced(right, at.result, Copy{}, {at.normalized}, has_both ? said.gain_and_bias.text() : "")};
  if (!has_both) return all;
  all.push_back(replaced(right, at.result, Combine{Binary::add, {}}, {at.normalized, at.bias}, said.only_gain));
  all.push_back(replaced(right, at.result, Combine{Binary::multiply, {}}, {at.normalized, at.gain}, said.only_bias));
  return all;
}

Rewrites over_tokens(const RightPart& right) {
  if (!right.at.norm) return {};
  const NormAnatomy& at = *right.at.norm;
  Rewrite made{at.mean.empty() ? at.spread : at.mean, "", right.recipe};
  for (const StepId& step : {at.mean, at.spread}) {
    if (step.empty()) continue;
    Normalize other = normalize_of(right, step);
    if (other.over == "token") return {};
    other.over = "token";
    made = with_op(std::move(made), step, other);
  }
  return {std::move(made)};
}

}  // namespace

Family norm_family() {
  const MistakeWords& said = language().mistakes;
  return {said.norm,
          {
              {.id = "norm.eps_outside", .words = said.norm_eps_outside, .of_part = eps_outside},
              {.id = "norm.variance_n_minus_1", .words = said.norm_variance_n_minus_1, .of_part = by_one_fewer},
              {.id = "norm.mean_kept", .words = said.norm_mean_kept, .of_part = mean_kept},
              {.id = "norm.gain_left_out", .words = said.norm_gain_left_out, .of_part = gain_left_out},
              {.id = "norm.over_tokens", .words = said.norm_over_tokens, .of_part = over_tokens},
          }};
}

}  // namespace attn
