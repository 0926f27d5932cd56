#include <string>
#include <vector>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr VerdictWords english_verdicts = {
    .sign_wrong = "✗ not right yet",
    .sign_follows = "↳ follows from your earlier numbers",
    .sign_unsure = "? too few digits to tell",
    .sign_blank = "· blank",
    .nothing_to_mark = "There is nothing to mark in these answers.",
    .nothing_wrong = "Nothing is wrong so far.",
    .some_right = [](const std::string& steps,
                     std::size_t count) { return steps + (count == 1 ? ": right." : ": all right."); },
    .all_right =
        [](const std::string& steps, std::size_t numbers) {
          return steps +
                 (numbers == 1 ? ": right, the one number of it." : ": right, all " + counted(numbers, "number") + ".");
        },
    .before = "what you wrote before",
    .your = [](const std::string& step) { return "your " + step; },
    .none_right = [](std::size_t count) { return "none of the " + std::to_string(count) + " is right yet"; },
    .so_many =
        [](std::size_t count, std::size_t all, bool first) {
          const std::string number = std::to_string(count);
          return first && count < all ? number + " of " + std::to_string(all)
                                      : (count == all && all > 1 ? "all " : "") + number;
        },
    .right = "right",
    .not_right_yet = "not right yet",
    .blank = "blank",
    .too_few_digits = "with too few digits to tell",
    .follows =
        [](const std::string& earlier, bool one) {
          return std::string(one ? "follows" : "follow") + " from " + earlier + ", not marked again";
        },
    .step_follows =
        [](const std::string& step, const std::string& earlier) {
          return step + ": follows from " + earlier + "; not marked again.";
        },
    .the_rest = "The rest",
    .you_wrote = [](const std::string& step,
                    const std::string& sizes) { return (step.empty() ? "You wrote " : step + ": you wrote ") + sizes; },
    .this_step_is = [](const std::string& sizes) { return "; this step is " + sizes; },
    .as_written = "as you wrote it",
    .as_expected = "as it should be",
    .more_matrices =
        [](std::size_t count) {
          return "… " + std::to_string(count) + (count == 1 ? " more matrix" : " more matrices") +
                 " like this; --full shows all.";
        },
    .not_handed_in =
        [](const std::string& step) { return " That is at the step " + step + ", which you did not hand in."; },
    .ties =
        [](const std::vector<std::string>& what, std::size_t all) {
          std::string text;
          for (const std::string& one : what) text += (text.empty() ? "Or: " : "; or: ") + one;
          if (what.size() < all) text += "; or " + std::to_string(all - what.size()) + " more";
          return text + ". These numbers cannot tell " + (all == 1 ? "the two" : "them") + " apart.";
        },
    .file = "file",
    .verdict = "verdict",
    .first_wrong = "first wrong step",
    .likely = "likely mistake",
    .wrong = "wrong",
    .incomplete = "incomplete",
    .not_read = "not read",
    .or_another = " or ",
};

}  // namespace attn
