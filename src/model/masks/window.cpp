#include "model/masks/by_position.h"
#include "words/language.h"

namespace attn {
namespace {

// Open where i + offset − left ≤ j ≤ i + offset + right.
MaskRule window_rule(const Problem& problem) {
  const Window window = *problem.window;
  const std::string position = written_position(problem);
  const std::string left = window.left < 0 ? "" : position + " − " + std::to_string(window.left) + " ≤ ";
  const std::string right = window.right < 0 ? "" : " ≤ " + position + " + " + std::to_string(window.right);
  return closing_by_position(
      problem,
      {.id = "mask.window",
       .symbol = "M_window",
       .title = language().steps.window,
       .formula = left.empty() && right.empty() ? language().steps.open_everywhere.text()
                                                : language().steps.open_where(left + "j" + right),
       .role = Role::mask},
      window);
}

}  // namespace

Mask window_mask() {
  return {.name = "window",
          .summary = "a query sees so many keys before its own position and behind it",
          .rules = [](const Problem& problem) {
            return problem.window ? std::vector{window_rule(problem)} : std::vector<MaskRule>{};
          }};
}

}  // namespace attn
