#include <cmath>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

Rewrites with_scale(const RightAttention& right, const Op& scale) { return {with_op(right, right.at.scaled, scale)}; }

// The scores scaled in another way than asked; nothing where it is the same way.
Rewrites rescaled(const RightAttention& right, const Map& asked, const Map& wrong) {
  return same(factor(wrong), factor(asked)) ? Rewrites() : with_scale(right, wrong);
}

// By the root of another width; 0 where there is none such.
Rewrites by_root_of(const RightAttention& right, const Map& asked, std::size_t width) {
  return width == 0 ? Rewrites() : rescaled(right, asked, divided_by_root(width));
}

Rewrites not_scaled(const RightAttention& right, const Map& asked) {
  return same(factor(asked), 1) ? Rewrites() : with_scale(right, Copy{});
}

Rewrites by_dk(const RightAttention& right, const Map& asked) {
  return rescaled(right, asked, {Unary::divide, static_cast<double>(size_along(right, right.at.keys, "d_k")), ""});
}

Rewrites by_dmodel(const RightAttention& right, const Map& asked) {
  return head_count(right) > 1 ? Rewrites() : by_root_of(right, asked, input_width(right));
}

Rewrites by_n(const RightAttention& right, const Map& asked) {
  return by_root_of(right, asked, size_along(right, right.at.keys, "key"));
}

Rewrites by_dv(const RightAttention& right, const Map& asked) {
  const std::size_t width = size_along(right, right.at.values, "d_v");
  return width == size_along(right, right.at.keys, "d_k") ? Rewrites() : by_root_of(right, asked, width);
}

Rewrites the_other_way(const RightAttention& right, const Map& asked) {
  if (asked.parameter == 0) return {};
  Map turned = asked;
  turned.function = asked.function == Unary::divide ? Unary::multiply : Unary::divide;
  return rescaled(right, asked, turned);
}

Rewrites twice(const RightAttention& right, const Map& asked) {
  return rescaled(right, asked, {asked.function, asked.parameter * asked.parameter, ""});
}

Rewrites after_softmax(const RightAttention& right, const Map& asked) {
  if (!softmax_input(right) || same(factor(asked), 1)) return {};
  const Instruction& weights = *right.find(right.at.weights);
  return {rewritten(
      right, right.at.weights, "",
      {line(right.at.scaled, Copy{}, right.find(right.at.scaled)->operands),
       line("~weights", weights.op, weights.operands, weights.open), line(right.at.weights, asked, {"~weights"})})};
}

Rewrites added(const RightAttention& right) {
  const Instruction* scaled = right.find(right.at.scaled);
  const std::size_t width = size_along(right, right.at.keys, "d_k");
  if (width <= 1 || (scaled && !std::holds_alternative<Copy>(scaled->op))) return {};
  const Map divided = divided_by_root(width);
  if (scaled) return with_scale(right, divided);
  Rewrite made{right.at.scaled, "", right.recipe};
  made.recipe.interpose_after(right.at.scores,
                              {.heading = {.id = right.at.scaled}, .op = divided, .operands = {right.at.scores}});
  return {std::move(made)};
}

}  // namespace

Family scale_family() {
  const MistakeWords& said = language().mistakes;
  return {said.scale,
          {
              {"scale.none", said.scale_none, where<asked_scale, not_scaled>},
              {"scale.by_dk", said.scale_by_dk, where<asked_division, by_dk>},
              {"scale.multiplied", said.scale_multiplied, where<asked_scale, the_other_way>},
              {"scale.by_dmodel", said.scale_by_dmodel, where<asked_division, by_dmodel>},
              {"scale.by_n", said.scale_by_n, where<asked_division, by_n>},
              {"scale.by_dv", said.scale_by_dv, where<asked_division, by_dv>},
              {"scale.twice", said.scale_twice, where<asked_scale, twice>},
              {"scale.after_softmax", said.scale_after_softmax, where<asked_scale, after_softmax>},
              {"scale.added", said.scale_added, added},
          }};
}

}  // namespace attn
