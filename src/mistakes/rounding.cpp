#include "base/rounding.h"

#include "base/numbers.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// √3 taken as 1.7.
Rewrites rounded_root(const RightAttention& right, const Map& asked) {
  Rewrites all;
  for (const int decimals : {1, 2}) {
    Map taken = asked;
    taken.parameter = rounded(asked.parameter, {decimals, RoundingMode::half_up});
    if (taken.parameter == asked.parameter) continue;
    all.push_back(with_op(right, right.at.scaled, taken));
    all.back().variant = "÷" + fixed(taken.parameter, decimals);
  }
  return all;
}

}  // namespace

// The others are found by what rounding allows, not by working everything out in another way.
Family rounding_family() {
  const MistakeWords& said = language().mistakes;
  return {said.rounding,
          {
              {"rounding.early", said.rounding_early, where<asked_division, rounded_root>, MistakeKind::note},
              {"rounding.truncated", said.rounding_truncated, nullptr, MistakeKind::note},
              {"rounding.scores_rounded", said.rounding_scores_rounded, nullptr, MistakeKind::note},
          }};
}

}  // namespace attn
