#include <limits>
#include <string>

#include "model/masks/mask.h"
#include "words/language.h"

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
      rule.heading.title = language().steps.mask_allow;
      rule.heading.formula = language().steps.mask_allow_formula.text();
      rule.make = [value = term.value] { return value.numbers(); };
      break;
    case MaskTerm::Kind::block:
      rule.heading.title = language().steps.mask_block;
      rule.heading.formula = language().steps.mask_block_formula.text();
      rule.make = [value = term.value] { return mapped(value.numbers(), [](double blocked) { return 1 - blocked; }); };
      break;
    case MaskTerm::Kind::add:
      rule.heading.title = language().steps.mask_add;
      rule.heading.formula = language().steps.mask_add_formula.text();
      rule.make = [value = term.value, dtype] {
        return mapped(value.numbers(),
                      [&](double added) { return stored(added, dtype) == minus_infinity ? 0.0 : 1.0; });
      };
      break;
  }
  return rule;
}

MaskRule adding_rule(const MaskTerm& term, const std::string& number) {
  return {.heading = {"bias." + number, "B_" + number, language().steps.mask_bias,
                      language().steps.mask_bias_formula.text(), Role::mask},
          .effect = MaskRule::Effect::adds,
          .shape = term.value.shape(),
          .make = [value = term.value] { return value.numbers(); }};
}

}  // namespace

Mask given_mask() {
  return {.spec = {.name = "mask",
                   .also_called = {"attentionmask", "attnmask"},
                   .summary = "cells that the problem allows or blocks one by one, or adds a number to",
                   .kind = OptionSpec::Kind::masks},
          .rules = [](const OptionValue& value, const Attention&, Dtype dtype) {
            const auto& masks = std::get<std::vector<MaskTerm>>(value);
            std::vector<MaskRule> rules;
            for (std::size_t i = 0; i < masks.size(); ++i) {
              const std::string number = std::to_string(i + 1);
              rules.push_back(closing_rule(masks[i], number, dtype));
              if (masks[i].kind == MaskTerm::Kind::add) rules.push_back(adding_rule(masks[i], number));
            }
            return rules;
          }};
}

}  // namespace attn
