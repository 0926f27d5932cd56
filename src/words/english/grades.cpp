#include <string>
#include <vector>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr GradeWords english_grades = {
    .title = "Grades",
    .step = "step",
    .right = "right",
    .follows = "follows",
    .coarse = "too few digits",
    .wrong = "wrong",
    .blank = "blank",
    .missing = "missing",
    .deducted = "deducted",
    .points = "points",
    .of = "of",
    .percent = "%",
    .name = "name",
    .verdict = "verdict",
    .likely = "likely mistake",
    .mistake = "mistake",
    .hand_ins = "hand-ins",
    .who = "who",
    .what = "what",
    .share = "share of the points",
    .points_of = "{} of {} points",
    .follow = "following from earlier ones",
    .not_handed_in = "not handed in",
    .other_shape = "has another shape than this step",
    .sum = "The sum: {} = {}.",
    .rounded_sum = "The sum is rounded once, to the nearest {}, the middle up: {}.",
    .deduction = "Taken off {}: {}, because {}.",
    .only_taken = " Only {} of it, since a step has no less than 0 points.",
    .no_known_mistake = "no mistake known here gives these numbers",
    .what_was_found = "What was found",
    .undecided = "Too few digits to tell, so far without points: {}. With all of them right there are {} more points.",
    .not_graded_yet = "This hand-in has no grade yet:",
    .of_class =
        [](std::size_t count, const std::vector<std::string>& parts) {
          return counted(count, "hand-in") + (parts.empty() ? "" : ": " + listed(parts)) + ".";
        },
    .all_right = "right",
    .with_faults = "wrong",
    .incomplete = "incomplete",
    .unreadable = "not read",
    .no_problem = "of no problem",
    .nothing = "nothing handed in",
    .mean_and_median = "Those that were graded have {} % on average, and half of them at least {} %.",
    .different_points =
        "Not all hand-ins are of as many points, since each counts the steps that it has. A scheme that gives points "
        "to "
        "the steps that were asked for makes them alike.",
    .one_a_step = "1 point for each step handed in",
    .points_are = "Points: {}",
    .in_proportion = "each in proportion to its right numbers",
    .all_or_nothing = "each all or nothing",
    .following = "what follows from earlier numbers of one's own counts as right",
    .not_following = "what follows from earlier wrong numbers counts as wrong",
    .coarse_right = "too few digits to tell count as right",
    .coarse_wrong = "too few digits to tell count as wrong",
    .coarse_ask = "too few digits to tell are listed, without points until somebody decides",
    .deductions_are = "deducted, once for each time it is found: {}",
    .rounds_to = "the sum is rounded once, to the nearest {}, the middle up",
    .everybody = "Everybody",
    .distribution = "How many have how much",
    .mistakes = "Mistakes, the most common first",
    .no_mistakes = "None was found.",
    .cells = "Numbers most often wrong",
    .how_cells =
        "By how many each number of a step is wrong; · is nobody. What only follows from an earlier slip is not.",
    .to_look_at = "To look at",
    .from_to = [](std::size_t from,
                  std::size_t to) { return std::to_string(from) + " to " + std::to_string(to) + " %"; },
    .wrong_in = "{}: wrong in {} of {}",
    .whole = "100 %",
    .absent = "Handed in nothing",
    .of_other_shape = "every step has another shape than in this problem: is it of another one?",
    .mostly_wrong = "its first steps are mostly wrong: is it of other numbers?",
    .write_more = "Write a digit or two more the next time.",
    .problem_not_named = "it says neither whose it is nor of which problem",
    .decide = "too few digits, for you to decide: {}; up to {} more points",
    .coarse_counted =
        [](std::size_t count) {
          return counted(count, "number") + (count == 1 ? " has" : " have") + " too few digits to tell, and " +
                 (count == 1 ? "counts" : "count") + " as right";
        },
    .not_in_roster = "`{}` is not in the list of the class",
    .is_it = "; is it {}?",
    .also_handed_in = "handed in more than once; also handed in: {}",
    .says_other_name = "the hand-in says that it is by `{}`",
    .of_anothers_problem = "its problem is the one of {}",
    .other_problem = "it is of another problem, {}…, and of none of these: last week's?",
    .no_problem_of_name = "there is no problem for `{}`",
    .problem_not_read = "its problem, {}, cannot be read",
    .part_not_read = "a part of it cannot be read: {}",
    .called_like_other = "the file is called like {}, who is in the list, too",
    .numbers_of = "its numbers are those of the problem of {}",
};

}  // namespace attn
