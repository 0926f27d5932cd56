#include "base/rounding.h"

#include "base/numbers.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// √3 taken as 1.7, or 1/√3 as 0.58.
Rewrites rounded_root(const RightAttention& right, const Map& asked) {
  Rewrites all;
  for (const int decimals : {1, 2, 3, 4}) {
    const auto taken = [&](Unary function, double number, const char* sign) {
      const double parameter = rounded(number, {decimals, RoundingMode::half_up});
      if (parameter == number || parameter == 0) return;
      all.push_back(with_op(right, right.at.scaled, Map{function, parameter, asked.spelling}));
      all.back().variant = sign + fixed(parameter, decimals);
    };
    taken(Unary::divide, asked.parameter, "÷");
    if (decimals > 1) taken(Unary::multiply, 1 / asked.parameter, "×");
  }
  return all;
}

// Powers of the scores themselves, of which rounding leaves other digits than of
// their differences to the maximum.
Rewrites without_maximum(const RightAttention& right) {
  const auto input = softmax_input(right);
  if (!input || input->sink) return {};
  // A row that is closed whole has no score to take a power of.
  if (input->open && !empty_rows(value_in(right.recipe, input->open->id)).empty()) return {};
  Rewrite made = rewritten(right, right.at.exponentials, language().mistakes.no_maximum,
                           plain_powers_lines(right.at.exponentials, *input));
  return {std::move(made)};
}

Rewrites rounded_early(const RightAttention& right) {
  Rewrites all = where<asked_division, rounded_root>(right);
  append(all, without_maximum(right));
  return all;
}

}  // namespace

// The others are found by what rounding allows, not by working everything out in another way.
Family rounding_family() {
  const MistakeWords& said = language().mistakes;
  return {said.rounding,
          {
              {"rounding.early", said.rounding_early, rounded_early, MistakeKind::note},
              {"rounding.truncated", said.rounding_truncated, nullptr, MistakeKind::note},
              {"rounding.scores_rounded", said.rounding_scores_rounded, nullptr, MistakeKind::note},
          }};
}

}  // namespace attn
