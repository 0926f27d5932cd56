#include <algorithm>
#include <optional>

#include "mistakes/masking.h"
#include "words/language.h"

namespace attn {
namespace {

// Only of a block, whose parts have names: elsewhere it is the mask that was forgotten.
Rewrites causal_left_out(const RightAttention& right) {
  if (right.recipe.parts()[right.part].prefix.empty() || !right.has(right.at.causal_rule)) return {};
  const std::optional<Masking> mask = masking(right);
  if (!mask) return {};
  const auto rule = std::ranges::find(mask->rules, right.at.causal_rule);
  if (rule == mask->rules.end()) return {};
  return with_rule(right, *mask, static_cast<std::size_t>(rule - mask->rules.begin()), "",
                   [](const MaskCell&) { return true; });
}

}  // namespace

Family decoder_family() {
  const MistakeWords& said = language().mistakes;
  return {said.decoder, {{"decoder.mask_forgotten", said.decoder_mask_forgotten, causal_left_out}}};
}

}  // namespace attn
