#include "mistakes/masking.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "ops/walk.h"
#include "words/language.h"

namespace attn {

std::optional<Masking> masking(const RightAttention& right) {
  const Instruction* close = right.find(right.at.masked);
  const Instruction* mask = right.find(right.at.mask);
  if (!close || !mask || !std::holds_alternative<Close>(close->op)) return std::nullopt;
  if (!close->open || close->open->id != right.at.mask) return std::nullopt;
  Masking found{right.value(right.at.mask), {}, close->operands[0], {}};
  for (const Operand& rule : mask->operands) found.rules.push_back(rule.id);
  if (close->operands.size() > 1) found.bias = close->operands[1];
  return found;
}

std::optional<Masking> closing(const RightAttention& right) {
  auto found = masking(right);
  return found && found->closes_something() ? std::move(found) : std::nullopt;
}

Tensor<double> spread(const RightAttention& right, const Masking& mask, const std::string& id) {
  const Tensor<double> rule = right.value(id);
  Tensor<double> result(mask.open.shape());
  const Cells<double> cells{&rule.shape(), rule.data().data()};
  Walk(result.shape(), std::span(&cells, 1), nullptr).each([&](std::size_t at, const Offsets& offsets) {
    result[at] = rule[offsets[0]];
  });
  return result;
}

std::vector<Instruction> masked_by(const RightAttention& right, const Masking& mask, const Op& op,
                                   std::optional<Operand> open) {
  std::vector<Instruction> lines;
  std::vector<Operand> operands = {mask.scores};
  if (mask.bias) {
    Tensor<double> bias = right.value(mask.bias->id);
    const auto is_infinite = [](double number) { return !std::isfinite(number); };
    const bool is_finite = std::ranges::none_of(bias.data(), is_infinite);
    operands.push_back(is_finite ? *mask.bias : "~bias");
    if (!is_finite) {
      std::ranges::replace_if(bias.data(), is_infinite, 0.0);
      lines.push_back(given_line("~bias", std::move(bias)));
    }
  }
  lines.push_back(line(right.at.masked, op, std::move(operands), std::move(open)));
  return lines;
}

Rewrites with_mask(const RightAttention& right, const Masking& mask, const std::string& variant,
                   const CellRule& is_open) {
  Tensor<double> open(mask.open.shape());
  for (std::size_t at = 0; at < open.size(); ++at) open[at] = is_open(mask.cell(at)) ? 1 : 0;
  if (open == mask.open) return {};
  std::vector<Instruction> lines = masked_by(right, mask, Close{}, right.at.mask);
  lines.insert(lines.begin(), {given_line("~mask", open), line(right.at.mask, Copy{}, {"~mask"})});
  Rewrite made = rewritten(right, right.at.mask, variant, lines);
  if (empty_rows(open).empty() || !softmax_input(right)) return {std::move(made)};
  Rewrite levelled = with_empty_rows_levelled(made, right.at, open);
  const std::string comma = variant.empty() ? "" : variant + "; ";
  made.variant = comma + language().mistakes.empty_rows_zero.text();
  levelled.variant = comma + language().mistakes.empty_rows_equal.text();
  return {std::move(made), std::move(levelled)};
}

Rewrites with_rule(const RightAttention& right, const Masking& mask, std::size_t rule, const std::string& variant,
                   const CellRule& allows) {
  std::vector<Tensor<double>> others;
  for (std::size_t i = 0; i < mask.rules.size(); ++i) {
    if (i != rule) others.push_back(spread(right, mask, mask.rules[i]));
  }
  return with_mask(right, mask, variant, [&](const MaskCell& cell) {
    return allows(cell) && std::ranges::all_of(others, [&](const auto& open) { return open[cell.at] != 0; });
  });
}

}  // namespace attn
