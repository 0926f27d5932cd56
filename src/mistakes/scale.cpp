#include <cmath>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

// The scores scaled in another way than asked; nothing where it is the same way.
Rewrites rescaled(const RightAttention& right, const Map& wrong) {
  const auto asked = asked_scale(right);
  if (!asked || same(factor(wrong), factor(*asked))) return {};
  return {with_op({right.at.scaled, "", right.recipe}, right.at.scaled, wrong)};
}

// Divided by another number, where the root of d_k is asked for.
Rewrites by(const RightAttention& right, const Map& wrong) {
  return is_divided(right) ? rescaled(right, wrong) : Rewrites();
}

// By the root of a width; 0 where there is none such.
Rewrites by_root_of(const RightAttention& right, std::size_t width) {
  return width == 0 ? Rewrites() : by(right, divided_by_root(width));
}

Rewrites not_scaled(const RightAttention& right) {
  const auto asked = asked_scale(right);
  if (!asked || same(factor(*asked), 1)) return {};
  return {with_op({right.at.scaled, "", right.recipe}, right.at.scaled, Copy{})};
}

Rewrites by_dk(const RightAttention& right) {
  return by(right, {Unary::divide, static_cast<double>(size_along(right, right.at.keys, "d_k")), ""});
}

Rewrites by_dmodel(const RightAttention& right) {
  return head_count(right) > 1 ? Rewrites{} : by_root_of(right, input_width(right));
}

Rewrites by_n(const RightAttention& right) { return by_root_of(right, size_along(right, right.at.keys, "key")); }

Rewrites by_dv(const RightAttention& right) {
  const std::size_t width = size_along(right, right.at.values, "d_v");
  return width == size_along(right, right.at.keys, "d_k") ? Rewrites() : by_root_of(right, width);
}

Rewrites the_other_way(const RightAttention& right) {
  const auto asked = asked_scale(right);
  if (!asked || asked->parameter == 0) return {};
  Map turned = *asked;
  turned.function = asked->function == Unary::divide ? Unary::multiply : Unary::divide;
  return rescaled(right, turned);
}

Rewrites twice(const RightAttention& right) {
  const auto asked = asked_scale(right);
  if (!asked) return {};
  return rescaled(right, {asked->function, asked->parameter * asked->parameter, ""});
}

Rewrites after_softmax(const RightAttention& right) {
  const auto asked = asked_scale(right);
  if (!asked || !has_softmax(right) || same(factor(*asked), 1)) return {};
  const Instruction& weights = *right.find(right.at.weights);
  return {rewritten(
      right, right.at.weights, "",
      {line(right.at.scaled, Copy{}, right.find(right.at.scaled)->operands),
       line("~weights", weights.op, weights.operands, weights.open), line(right.at.weights, *asked, {"~weights"})})};
}

Rewrites added(const RightAttention& right) {
  const Instruction* scaled = right.find(right.at.scaled);
  const std::size_t width = size_along(right, right.at.keys, "d_k");
  if (!right.has(right.at.scores) || width <= 1 || (scaled && !std::holds_alternative<Copy>(scaled->op))) return {};
  const Map divided = divided_by_root(width);
  if (scaled) return {with_op({right.at.scaled, "", right.recipe}, right.at.scaled, divided)};
  return {rewritten(right, right.at.scaled, "", [&](Recipe& recipe) {
    recipe.interpose_after(right.at.scores,
                           {.heading = {.id = right.at.scaled}, .op = divided, .operands = {right.at.scores}});
  })};
}

}  // namespace

Family scale_family() {
  const MistakeWords& said = language().mistakes;
  return {"scale",
          said.scale,
          {
              {"scale.none", said.scale_none, not_scaled},
              {"scale.by_dk", said.scale_by_dk, by_dk},
              {"scale.multiplied", said.scale_multiplied, the_other_way},
              {"scale.by_dmodel", said.scale_by_dmodel, by_dmodel},
              {"scale.by_n", said.scale_by_n, by_n},
              {"scale.by_dv", said.scale_by_dv, by_dv},
              {"scale.twice", said.scale_twice, twice},
              {"scale.after_softmax", said.scale_after_softmax, after_softmax},
              {"scale.added", said.scale_added, added},
          }};
}

}  // namespace attn
