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
  return {rewritten(right, right.at.scaled, "", [&](Recipe& recipe) {
    recipe.replace(right.at.scaled, wrong, recipe.find(right.at.scaled)->operands);
  })};
}

bool divides_by_root(const RightAttention& right) {
  const auto asked = asked_scale(right);
  return asked && asked->function == Unary::divide;
}

// Divided by the root of another number, where the root of d_k is asked for.
Rewrites by_root_of(const RightAttention& right, std::size_t number) {
  if (number == 0 || !divides_by_root(right)) return {};
  return rescaled(right, divided_by_root(number));
}

Rewrites not_scaled(const RightAttention& right) {
  const auto asked = asked_scale(right);
  if (!asked || same(factor(*asked), 1)) return {};
  return {rewritten(right, right.at.scaled, "", [&](Recipe& recipe) {
    recipe.replace(right.at.scaled, Copy{}, recipe.find(right.at.scaled)->operands);
  })};
}

Rewrites by_dk(const RightAttention& right) {
  if (!divides_by_root(right)) return {};
  return rescaled(right, {Unary::divide, static_cast<double>(size_along(right, right.at.keys, "d_k")), ""});
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
  return {rewritten(right, right.at.weights, "", [&](Recipe& recipe) {
    recipe.replace(right.at.scaled, Copy{}, recipe.find(right.at.scaled)->operands);
    const Instruction weights = *recipe.find(right.at.weights);
    recipe.insert_before(right.at.weights, in_between("~weights", weights.op, weights.operands, weights.open));
    recipe.replace(right.at.weights, *asked, {"~weights"});
  })};
}

Rewrites added(const RightAttention& right) {
  const Instruction* scaled = right.find(right.at.scaled);
  const std::size_t width = size_along(right, right.at.keys, "d_k");
  if (!right.has(right.at.scores) || width <= 1 || (scaled && !std::holds_alternative<Copy>(scaled->op))) return {};
  const Map divided = divided_by_root(width);
  return {rewritten(right, right.at.scaled, "", [&](Recipe& recipe) {
    if (scaled) {
      recipe.replace(right.at.scaled, divided, scaled->operands);
    } else {
      recipe.interpose_after(right.at.scores,
                             {.heading = {.id = right.at.scaled}, .op = divided, .operands = {right.at.scores}});
    }
  })};
}

}  // namespace

Family scale_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "scale",
      .title = said.scale,
      .mistakes =
          {
              {.id = "scale.none", .words = said.scale_none, .rewrites = not_scaled},
              {.id = "scale.by_dk", .words = said.scale_by_dk, .rewrites = by_dk},
              {.id = "scale.multiplied", .words = said.scale_multiplied, .rewrites = the_other_way},
              {.id = "scale.by_dmodel",
               .words = said.scale_by_dmodel,
               .rewrites =
                   [](const RightAttention& right) {
                     return head_count(right) > 1 ? Rewrites{} : by_root_of(right, input_width(right));
                   }},
              {.id = "scale.by_n",
               .words = said.scale_by_n,
               .rewrites =
                   [](const RightAttention& right) {
                     return by_root_of(right, size_along(right, right.at.keys, "key"));
                   }},
              {.id = "scale.by_dv",
               .words = said.scale_by_dv,
               .rewrites =
                   [](const RightAttention& right) {
                     const std::size_t width = size_along(right, right.at.values, "d_v");
                     return width == size_along(right, right.at.keys, "d_k") ? Rewrites() : by_root_of(right, width);
                   }},
              {.id = "scale.twice", .words = said.scale_twice, .rewrites = twice},
              {.id = "scale.after_softmax", .words = said.scale_after_softmax, .rewrites = after_softmax},
              {.id = "scale.added", .words = said.scale_added, .rewrites = added},
          },
  };
}

}  // namespace attn
