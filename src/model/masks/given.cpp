#include <limits>
#include <string>

#include "model/masks/mask.h"
#include "words/language.h"

namespace attn {
namespace {

// What the term closes. An `add` closes where it adds −∞, as the dtype holds it.
MaskRule closing_rule(const MaskTerm& term, const std::string& number, Dtype dtype) {
  const auto rule = [&](const Said& title, const Said& formula, auto open) {
    return MaskRule{{"mask." + number, "M_" + number, title, formula, Role::mask},
                    MaskRule::Effect::closes,
                    term.value.shape(),
                    [value = term.value, open] {
                      Tensor<double> cells = value.numbers();
                      for (double& cell : cells.data()) cell = open(cell);
                      return cells;
                    }};
  };
  const StepWords& said = language().steps;
  switch (term.kind) {
    case MaskTerm::Kind::allow:
      return rule(said.mask_allow, said.mask_allow_formula, [](double allowed) { return allowed; });
    case MaskTerm::Kind::block:
      return rule(said.mask_block, said.mask_block_formula, [](double blocked) { return 1 - blocked; });
    case MaskTerm::Kind::add:
      return rule(said.mask_add, said.mask_add_formula, [dtype](double added) {
        return stored(added, dtype) == -std::numeric_limits<double>::infinity() ? 0.0 : 1.0;
      });
  }
  return {};
}

MaskRule adding_rule(const MaskTerm& term, const std::string& number) {
  return {.heading = {"bias." + number, "B_" + number, language().steps.mask_bias, language().steps.mask_bias_formula,
                      Role::mask},
          .effect = MaskRule::Effect::adds,
          .shape = term.value.shape(),
          .make = [value = term.value] { return value.numbers(); }};
}

}  // namespace

Mask given_mask() {
  return {.spec = {.name = "mask",
                   .also_called = {"attentionmask", "attnmask"},
                   .summary = "cells that the problem allows or blocks one by one, or adds a number to",
                   .kind = OptionSpec::Kind::masks,
                   .about_sequences = true},
          .rules = [](const OptionValue& value, const Attention&, Dtype dtype) {
            const auto& masks = std::get<std::vector<MaskTerm>>(value);
            std::vector<MaskRule> rules;
            for (std::size_t i = 0; i < masks.size(); ++i) {
              const std::string number = std::to_string(i + 1);
              rules.push_back(closing_rule(masks[i], number, dtype));
              if (masks[i].kind != MaskTerm::Kind::add) continue;
              rules.push_back(adding_rule(masks[i], number));
              rules[rules.size() - 2].follows =
                  GivenRule{.kind = GivenRule::Kind::finite, .of = rules.back().heading.id};
            }
            return rules;
          }};
}

}  // namespace attn
