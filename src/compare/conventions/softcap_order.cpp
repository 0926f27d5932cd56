#include <variant>

#include "compare/conventions/convention.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

Rewrites before_scale(const RightAttention& right) {
  const Instruction* capped = right.find(right.at.capped);
  const auto* cap = capped ? std::get_if<Map>(&capped->op) : nullptr;
  const auto scale = asked_scale(right);
  if (!cap || !scale) return {};
  return {rewritten(right, right.at.scaled, "",
                    {line("~capped", *cap, right.find(right.at.scaled)->operands),
                     line(right.at.scaled, *scale, {"~capped"}), line(right.at.capped, Copy{}, {right.at.scaled})})};
}

}  // namespace

Convention softcap_order_convention() {
  return {.id = "softcap.order", .what = language().mistakes.softcap_order, .rewrites = before_scale};
}

}  // namespace attn
