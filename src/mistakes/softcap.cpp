#include <utility>
#include <variant>
#include <vector>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// The line that caps the scores; null where there is none.
const Instruction* capping(const RightAttention& right) {
  const Instruction* capped = right.find(right.at.capped);
  return capped && std::holds_alternative<Map>(capped->op) ? capped : nullptr;
}

Rewrites not_capped(const RightAttention& right, const Instruction&) {
  return {with_op(right, right.at.capped, Copy{})};
}

// A closed score is then −c, and its cell gets weight. Either the masked scores were
// capped, or the capped ones made of masked ones: what is written down differs, and no weight.
Rewrites capped_after_mask(const RightAttention& right, const Instruction& capped) {
  const Anatomy& at = right.at;
  const Instruction* close = right.find(at.masked);
  if (!close || !close->open) return {};
  Rewrite masked_capped =
      rewritten(right, at.capped, language().mistakes.masked_scores_capped,
                {line(at.capped, Copy{}, capped.operands), line("~closed", close->op, close->operands, close->open),
                 line(at.masked, capped.op, {"~closed"})});

  // The mask stands below the capped scores, but for its numbers.
  std::vector<Operand> closing = {capped.operands[0]};
  std::vector<Instruction> lines = {given_line("~open", right.value(close->open->id))};
  if (close->operands.size() > 1) {
    lines.push_back(given_line("~bias", right.value(close->operands[1].id)));
    closing.emplace_back("~bias");
  }
  lines.push_back(line("~closed", close->op, closing, "~open"));
  lines.push_back(line(at.capped, capped.op, {"~closed"}));
  lines.push_back(line(at.masked, Copy{}, {"~closed"}));
  Rewrite capped_masked = rewritten(right, at.capped, language().mistakes.capped_scores_masked, std::move(lines));
  Recipe& recipe = capped_masked.recipe;
  for (std::size_t line = *recipe.line(at.masked) + 1; line < recipe.size(); ++line) {
    recipe.redirect(recipe.instruction(line).id(), at.masked, at.capped);
  }
  return {left_open_below(std::move(masked_capped), at, at.masked),
          left_open_below(std::move(capped_masked), at, at.masked)};
}

}  // namespace

Family softcap_family() {
  const MistakeWords& said = language().mistakes;
  return {said.softcap,
          {
              {"softcap.left_out", said.softcap_left_out, where<capping, not_capped>},
              {"softcap.after_mask", said.softcap_after_mask, where<capping, capped_after_mask>},
          }};
}

}  // namespace attn
