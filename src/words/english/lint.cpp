#include <string>

#include "words/english/english.h"

namespace attn {

constexpr LintWords english_lint = {
    .title = "What this problem cannot show",
    .how_compared = [](int digits) -> std::string {
      return "Numbers count as the same here where they are written alike with " + std::to_string(digits) +
             (digits == 1 ? " decimal." : " decimals.");
    },
    .nothing_found =
        "Every mistake that can be made in it shows, in every step and in the result, and no two look alike.",
    .changes_nothing = "Mistakes that change nothing",
    .invisible = [](Text mistake, Text what, bool in_result) -> std::string {
      return mistake + ": " + what + ". " +
             (in_result ? "The result comes out right all the same; steps before it show the mistake."
                        : "Every step comes out right all the same.");
    },
    .only_readings = [](Text readings) -> std::string { return " Only as: " + readings + "."; },
    .look_alike = "Mistakes that look alike",
    .alike = [](Text mistakes, bool in_result) -> std::string {
      return mistakes + ": " +
             (in_result ? "the result is the same; steps before it tell them apart." : "every step is the same.");
    },
    .what_helps = "What would help",
    .change = "change {} from {} to {}",
    .and_then = ", and ",
    .left = [](std::size_t count) -> std::string {
      return count == 1 ? "then one of these is left" : "then " + std::to_string(count) + " of these are left";
    },
    .no_change_helps = "no change of a few numbers helps: draw other numbers",
    .other_sizes = "take other sizes, for no number can mend what follows from {}",
};

}  // namespace attn
