#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr QuizWords english_quiz = {
    .how_to_answer =
        "Answer with numbers, as many as are wanted, with blanks between: 0.06 0.47 -1, 2/3, sqrt(2), e^2, -inf. "
        "Round as you like. `?` shows again what is given, `hint` helps, `skip` or an empty line gives a question up, "
        "`back` goes back to the one before, `quit` ends.",
    .a_selection =
        [](std::size_t questions) {
          return "This is a large problem. " + counted(questions, "question") +
                 " are asked, about one query and a few numbers of each step; --steps picks steps.";
        },
    .question = [](std::size_t which, std::size_t all,
                   Text title) { return std::to_string(which) + " of " + std::to_string(all) + " · " + title; },
    .numbers_wanted =
        [](std::size_t count, Text axis) {
          return counted(count, "number") + (axis.empty() ? "" : ", one for each of the " + axis);
        },
    .one_number_wanted = "one number",
    .worked_out_already = "Worked out already:",
    .right = "Right.",
    .follows = "Right: it follows from your earlier numbers.",
    .wrong = "Not right yet.",
    .wrong_but =
        [](std::size_t right, std::size_t all, Text which) {
          return "Not right yet: " + std::to_string(right) + " of " + std::to_string(all) +
                 (right == 1 ? " is" : " are") + " right. Look at " + which + ".";
        },
    .tries_left =
        [](std::size_t left) {
          return left == 1 ? std::string("One try left.") : std::to_string(left) + " tries left.";
        },
    .no_try = "That did not count as a try.",
    .too_coarse = "These are too few digits to tell right from wrong: write more decimals.",
    .some_blank = "Some of the numbers are blank: write them all, or `skip` the question.",
    .left_blank = "Left blank.",
    .no_hint_left = "There is no stronger hint.",
    .nothing_before = "There is no question before this one.",
    .shown_before = "The question before is settled: its answer has been shown.",
    .by_formula = "The formula: ",
    .put_in = "With the numbers put in:",
    .nothing_to_put_in = "There is nothing to work out: look up which of the numbers before stands here.",
    .answer = "This is how it goes:",
    .how_it_went = "How it went",
    .first_try = "right at the first try",
    .with_help = "right after a hint",
    .not_right = "not right, or given up",
    .not_asked = "not asked",
    .to_practise = "What to practise",
    .nothing_to_practise = "Nothing in particular: everything was right at the first try.",
    .step = "step",
    .mistake = "mistake",
    .so_many =
        [](std::size_t count, std::size_t all) {
          return std::to_string(count) + " of " + counted(all, "question") + " not right at the first try";
        },
    .made = [](Text what,
               std::size_t times) { return what + (times > 1 ? ", " + std::to_string(times) + " times" : ""); },
    .more_like_this = "To practise that:",
    .another_one = "Another of this kind:",
};

}  // namespace attn
