#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

Rewrites elsewhere(const RightAttention& right) {
  const Anatomy& at = right.at;
  const Instruction* capped = right.find(at.capped);
  const auto* cap = capped ? std::get_if<Map>(&capped->op) : nullptr;
  if (!cap) return {};
  Rewrites all;
  if (const auto scale = asked_scale(right)) {
    all.push_back(rewritten(right, at.scaled, language().mistakes.softcap_before_scale,
                            {line("~capped", *cap, right.find(at.scaled)->operands),
                             line(at.scaled, *scale, {"~capped"}), line(at.capped, Copy{}, {at.scaled})}));
  }
  if (const Instruction* close = right.find(at.masked)) {
    // A closed score is then −c, and its cell gets weight.
    Rewrite made =
        rewritten(right, at.capped, language().mistakes.softcap_after_mask,
                  {line(at.capped, Copy{}, capped->operands), line("~closed", close->op, close->operands, close->open),
                   line(at.masked, *cap, {"~closed"})});
    all.push_back(left_open_below(std::move(made), at, at.masked));
  }
  return all;
}

}  // namespace

Convention softcap_order_convention() {
  return {.id = "softcap.order", .what = language().mistakes.softcap_order, .rewrites = elsewhere};
}

}  // namespace attn
