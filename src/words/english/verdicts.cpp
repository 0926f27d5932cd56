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
    .negative_of = "the negative of",
    .times = [](const std::string& number) { return number + " times"; },
    .part_of = [](const std::string& number) { return "1/" + number + " of"; },
    .every_number_is =
        [](const std::string& step, const std::string& multiple) {
          return "every number you wrote for " + step + " is " + multiple + " what the problem asks for";
        },
    .come_out =
        [](const std::string& step, std::size_t follow, std::size_t all, std::size_t right) {
          return (follow == all ? "all " : std::to_string(follow) + " of ") + std::to_string(all) +
                 " numbers you wrote for " + step + " come out this way, and " +
                 (right == 0 ? "none" : std::to_string(right)) + " the way the problem asks for";
        },
    .never_negative =
        [](const std::string& number) { return "an attention weight is never below zero, and " + number + " is"; },
    .row_sums_to =
        [](std::size_t row, const std::string& sum) {
          return "the weights of a row add up to 1, and those of row " + std::to_string(row) + " to " + sum;
        },
    .lies_outside =
        [](const std::string& least, const std::string& most, const std::string& number) {
          return "each of these numbers is a weighted mean of a column of values; that column runs from " + least +
                 " to " + most + ", and " + number + " lies outside";
        },
    .term_missing =
        [](std::size_t term, const std::string& product) {
          return "term " + std::to_string(term) + " of the sum (" + product + ") is missing";
        },
    .term_negated =
        [](std::size_t term, const std::string& product) {
          return "term " + std::to_string(term) + " of the sum (" + product + ") has the other sign";
        },
    .one_term = "one term",
    .whole_number = "the whole number",
    .negated = "the number has the other sign",
    .point_moved =
        [](bool right) { return std::string("the decimal point stands too far ") + (right ? "right" : "left"); },
    .digits_swapped = "with two of its digits exchanged the number fits",
    .exchanged = "exchanged with each other they fit",
    .row_again =
        [](std::size_t row, std::size_t other) {
          return "row " + std::to_string(row) + " is row " + std::to_string(other) + " again";
        },
    .looks_as_if =
        [](const std::string& what, bool in_some_rows) {
          return "It looks as if" + std::string(in_some_rows ? ", in some rows, " : " ") + what + ".";
        },
    .some_rows = "in some rows every number comes out this way, in the others the way the problem asks for",
    .weights_rounded = "the weights are rounded so that each row adds up to 1",
    .other_shape =
        [](const std::string& step) { return "What you wrote for " + step + " has another shape than this step."; },
    .check_shape = "Check what its rows and its columns stand for.",
    .unexplained =
        [](const std::string& step, bool one) {
          return std::string("No mistake known here gives ") + (one ? "this number" : "these numbers") + " for " +
                 step + ".";
        },
    .work_out_again =
        [](bool one) {
          return std::string("Work ") + (one ? "this cell" : "one of these cells") + " out again, term by term.";
        },
    .read_turned = [](const std::string& steps) { return "read with rows and columns exchanged: " + steps; },
    .not_marked = [](const std::string& step) { return "this problem has no " + step + ": not marked"; },
};

}  // namespace attn
