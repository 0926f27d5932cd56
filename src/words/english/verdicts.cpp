#include <string>
#include <vector>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr VerdictWords english_verdicts = {
    .follows_from_yours = "follows from your earlier numbers",
    .too_few_to_tell = "too few digits to tell",
    .nothing_to_mark = "There is nothing to mark in these answers.",
    .nothing_wrong = "Nothing is wrong so far.",
    .some_right = [](Text steps, std::size_t count) { return steps + (count == 1 ? ": right." : ": all right."); },
    .all_right =
        [](Text steps, std::size_t numbers) {
          return steps +
                 (numbers == 1 ? ": right, the one number of it." : ": right, all " + counted(numbers, "number") + ".");
        },
    .before = "what you wrote before",
    .your = "your {}",
    .none_right = "none of the {} is right yet",
    .so_many =
        [](std::size_t count, std::size_t all, bool first) {
          const std::string number = std::to_string(count);
          return first && count < all ? number + " of " + std::to_string(all)
                                      : (count == all && all > 1 ? "all " : "") + number;
        },
    .the_number_is = "the number is {}",
    .not_marked_again = "not marked again",
    .no_new_slip = "no new slip, but this scheme counts such numbers as wrong",
    .the_number_has_too_few_digits = "the number has too few digits to tell",
    .right = "right",
    .not_right_yet = "not right yet",
    .blank = "blank",
    .too_few_digits = "with too few digits to tell",
    .follows = [](Text earlier, Text counts,
                  bool one) { return std::string(one ? "follows" : "follow") + " from " + earlier + ", " + counts; },
    .step_follows = "{}: follows from {}; {}.",
    .the_rest = "The rest",
    .you_wrote = [](Text step, Text sizes) { return (step.empty() ? "You wrote " : step + ": you wrote ") + sizes; },
    .this_step_is = "; this step is {}",
    .as_written = "as you wrote it",
    .as_expected = "as it should be",
    .more_matrices = [](std::size_t count) { return "… " + counted(count, "more matrix") + " like this."; },
    .not_handed_in = " That is at the step {}, which you did not hand in.",
    .ties =
        [](const std::vector<std::string>& what, std::size_t all) {
          std::string text;
          for (const std::string& one : what) text += (text.empty() ? "Or: " : "; or: ") + one;
          if (what.size() < all) text += "; or " + std::to_string(all - what.size()) + " more";
          return text + ". These numbers cannot tell " + (all == 1 ? "the two" : "them") + " apart.";
        },
    .how_it_comes_about = "to see how it comes about, number by number: attn why {} {}",
    .accepted_widely = "For {} a range of {} is accepted, wide for the digits written: {}.",
    .written_with =
        [](Text step, int decimals) {
          return "these numbers follow from your " + step + ", written with " +
                 counted(static_cast<std::size_t>(decimals), "decimal");
        },
    .may_be_rounded = "what comes before was not handed in, and may have been rounded",
    .handed_in_by = "Handed in by {}.",
    .how_to_fill_in = "Write each number in the place of its _. What stays _ is blank; behind # nothing is read.",
    .file = "file",
    .name = "name",
    .verdict = "verdict",
    .first_wrong = "first wrong step",
    .likely = "likely mistake",
    .wrong = "wrong",
    .incomplete = "incomplete",
    .not_read = "not read",
    .or_another = " or ",
    .negative_of = "the negative of",
    .times = "{} times",
    .part_of = "1/{} of",
    .every_number_is = "every number you wrote for {} is {} what the problem asks for",
    .come_out =
        [](Text step, std::size_t follow, std::size_t all, std::size_t right) {
          if (all == 1) {
            return "the number you wrote for " + step + " comes out this way, and " + (right == 0 ? "not" : "also") +
                   " the way the problem asks for";
          }
          return (follow == all ? "all " : std::to_string(follow) + " of ") + std::to_string(all) +
                 " numbers you wrote for " + step + " come out this way, and " +
                 (right == 0 ? "none" : std::to_string(right)) + " the way the problem asks for";
        },
    .never_negative = "an attention weight is never below zero, and {} is",
    .row_sums_to = "the weights of a row add up to 1, and those of row {} to {}",
    .lies_outside =
        "each of these numbers is a weighted mean of a column of values; that column runs from {} to {}, and {} lies "
        "outside",
    .term_missing = "term {} of the sum ({}) is missing",
    .term_negated = "term {} of the sum ({}) has the other sign",
    .one_term = "one term",
    .whole_number = "the whole number",
    .negated = "the number has the other sign",
    .point_moved =
        [](bool right) { return std::string("the decimal point stands too far ") + (right ? "right" : "left"); },
    .digits_swapped = "with two of its digits exchanged the number fits",
    .exchanged = "exchanged with each other they fit",
    .row_again =
        [](std::size_t row, std::size_t other, bool are_columns) {
          const std::string what = are_columns ? "column " : "row ";
          return what + std::to_string(row) + " is " + what + std::to_string(other) + " again";
        },
    .looks_as_if =
        [](Text what, bool in_some_rows) {
          return "It looks as if" + std::string(in_some_rows ? ", in some rows, " : " ") + what + ".";
        },
    .some_rows = "in some rows every number comes out this way, in the others the way the problem asks for",
    .weights_rounded = "the weights are rounded so that each row adds up to 1",
    .other_maximum = "before e^x another number was subtracted than the largest score, which changes no weight",
    .not_tried = "not tried, since there are too many of them in so large a problem: {}",
    .rarer_mistakes = "known mistakes that stand later in the list",
    .two_at_once = "two mistakes at once",
    .further_slips = "further slips",
    .roundings_not_tried =
        "each number follows if those before it are rounded in some way; there are too many ways here to try whether "
        "one of them explains all",
    .other_shape = "What you wrote for {} has another shape than this step.",
    .check_shape = "Check what its rows and its columns stand for.",
    .unexplained =
        [](Text step, bool one) {
          return std::string("No mistake known here gives ") + (one ? "this number" : "these numbers") + " for " +
                 step + ".";
        },
    .work_out_again =
        [](bool one) {
          return std::string("Work ") + (one ? "this cell" : "one of these cells") + " out again, term by term.";
        },
    .read_turned = "read with rows and columns exchanged: {}",
    .not_marked = "this problem has no {}: not marked",
    .other_cells_closed =
        [](bool closes, bool opens) {
          return std::string("It looks as if ") + (closes ? "cells were closed that are open" : "") +
                 (closes && opens ? ", and " : "") + (opens ? "cells were left open that are closed" : "") + ".";
        },
    .follows_from_these_cells = "with these cells the rest of the step follows",
    .look_up_who_may_attend = "Look up again which keys each query may attend to.",
};

}  // namespace attn
