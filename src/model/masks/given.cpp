#include <limits>
#include <string>

#include "model/masks/mask.h"

namespace attn {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

template <class Cell>
Tensor<double> mapped(const Tensor<double>& tensor, Cell cell) {
  Tensor<double> result = tensor;
  for (double& number : result.data()) number = cell(number);
  return result;
}

// What the term closes. An `add` closes where it adds −∞, as the dtype holds it.
MaskRule closing_rule(const MaskTerm& term, const std::string& number, Dtype dtype) {
  MaskRule rule{.heading = {.id = "mask." + number, .symbol = "M_" + number, .role = Role::mask},
                .effect = MaskRule::Effect::closes,
                .shape = term.value.shape()};
  switch (term.kind) {
    case MaskTerm::Kind::allow:
      rule.heading.title = "mask: the problem does not allow this cell";
      rule.heading.formula = "open where allowed";
      rule.make = [value = &term.value] { return *value; };
      break;
    case MaskTerm::Kind::block:
      rule.heading.title = "mask: the problem blocks this cell";
      rule.heading.formula = "open where not blocked";
      rule.make = [value = &term.value] { return mapped(*value, [](double blocked) { return 1 - blocked; }); };
      break;
    case MaskTerm::Kind::add:
      rule.heading.title = "mask: closed where the problem adds −∞; any other number is added to the score";
      rule.heading.formula = "open where more than −∞ is added";
      rule.make = [value = &term.value, dtype] {
        return mapped(*value, [&](double added) { return stored(added, dtype) == minus_infinity ? 0.0 : 1.0; });
      };
      break;
  }
  return rule;
}

MaskRule adding_rule(const MaskTerm& term, const std::string& number) {
  return {.heading = {.id = "bias." + number,
                      .symbol = "B_" + number,
                      .title = "added to the scores",
                      .formula = "given",
                      .role = Role::mask},
          .effect = MaskRule::Effect::adds,
          .shape = term.value.shape(),
          .make = [value = &term.value] { return *value; }};
}

}  // namespace

Mask given_mask() {
  return {.name = "mask",
          .summary = "cells that the problem allows or blocks one by one, or adds a number to",
          .rules = [](const Problem& problem) {
            std::vector<MaskRule> rules;
            for (std::size_t i = 0; i < problem.masks.size(); ++i) {
              const std::string number = std::to_string(i + 1);
              rules.push_back(closing_rule(problem.masks[i], number, problem.arithmetic.dtype));
              if (problem.masks[i].kind == MaskTerm::Kind::add) rules.push_back(adding_rule(problem.masks[i], number));
            }
            return rules;
          }};
}

}  // namespace attn
