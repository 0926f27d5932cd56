#include <cmath>

#include "mistakes/rewriting.h"

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
  return {
      .name = "scale",
      .title = "Scale",
      .mistakes =
          {
              {.id = "scale.none",
               .what = "the scores were not scaled: the division by √d_k is missing",
               .hint =
                   "Scale every score as the problem asks before the softmax, in most problems by dividing it by √d_k.",
               .example = "softmax(Q·Kᵀ) for softmax(Q·Kᵀ / √d_k)",
               .rewrites = not_scaled},
              {.id = "scale.by_dk",
               .what = "the scores were divided by d_k and not by its square root",
               .hint = "Divide by √d_k: take the square root of d_k first.",
               .example = "Q·Kᵀ / d_k for Q·Kᵀ / √d_k",
               .rewrites = by_dk},
              {.id = "scale.multiplied",
               .what = "the scores were scaled the other way round: multiplied where they should be divided",
               .hint = "Scaling by √d_k makes scores smaller: divide by it.",
               .example = "Q·Kᵀ · √d_k for Q·Kᵀ / √d_k",
               .rewrites = the_other_way},
              {.id = "scale.by_dmodel",
               .what = "the scores were divided by √d_model and not by √d_k",
               .hint = "Divide by the root of the width of a key, d_k, not of an input.",
               .example = "Q·Kᵀ / √d_model for Q·Kᵀ / √d_k",
               .rewrites =
                   [](const RightAttention& right) {
                     return head_count(right) > 1 ? Rewrites{} : by_root_of(right, input_width(right));
                   }},
              {.id = "scale.by_n",
               .what = "the scores were divided by the root of the number of keys and not by √d_k",
               .hint = "Divide by the root of the width of a key, d_k, not of how many keys there are.",
               .example = "Q·Kᵀ / √n for Q·Kᵀ / √d_k",
               .rewrites =
                   [](const RightAttention& right) {
                     return by_root_of(right, size_along(right, right.at.keys, "key"));
                   }},
              {.id = "scale.by_dv",
               .what = "the scores were divided by √d_v and not by √d_k",
               .hint = "Divide by the root of the width of a key, d_k, not of a value.",
               .example = "Q·Kᵀ / √d_v for Q·Kᵀ / √d_k",
               .rewrites =
                   [](const RightAttention& right) {
                     const std::size_t width = size_along(right, right.at.values, "d_v");
                     return width == size_along(right, right.at.keys, "d_k") ? Rewrites() : by_root_of(right, width);
                   }},
              {.id = "scale.twice",
               .what = "the scores were scaled twice",
               .hint = "Scale the scores once only.",
               .example = "(Q·Kᵀ / √d_k) / √d_k for Q·Kᵀ / √d_k",
               .rewrites = twice},
              {.id = "scale.after_softmax",
               .what = "the attention weights were scaled, and not the scores",
               .hint = "Scale the scores before the softmax; its weights stay as they are, and each row adds up to 1.",
               .example = "softmax(Q·Kᵀ) / √d_k for softmax(Q·Kᵀ / √d_k)",
               .rewrites = after_softmax},
              {.id = "scale.added",
               .what = "the scores were divided by √d_k, though the problem asks for no scale",
               .hint = "Take the scores as they are: this problem does not scale them.",
               .example = "softmax(Q·Kᵀ / √d_k) for softmax(Q·Kᵀ)",
               .rewrites = added},
          },
  };
}

}  // namespace attn
