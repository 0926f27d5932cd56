#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr DifferenceWords english_differences = {
    .problem = "the problem {}, computed in {}",
    .trace = "the trace {}, of dtype {}",
    .tensors = "the tensors of {}, of dtype {}",
    .files = "A is {}. B is {}.",
    .same_bits_count = "Numbers count as the same if all their bits are.",
    .less_by = "--rtol and --atol ask for less than the same bits",
    .within = "Numbers count as the same within {:g} of {}'s, or {:g}.",
    .within_usual =
        "Numbers count as the same within {:g} of themselves, or of the largest in a usual row of their "
        "step: sums in another order round otherwise.",
    .other_tolerance_by = "--rtol and --atol ask for another tolerance",
    .differ_first = "A and B differ first in {}",
    .are_same = "A and B are the same",
    .are_same_up_to_rounding = "A and B are the same, up to rounding",
    .are_same_as_far =
        [](std::size_t compared, std::size_t unknown, Text side, bool all_bits) {
          return "A and B are the same" + std::string(all_bits ? "" : ", up to rounding,") + " in " +
                 counted(compared, "step") + "; " + std::to_string(unknown) + std::string(side.empty() ? "" : " of ") +
                 std::string(side) + (unknown == 1 ? " was not compared" : " were not compared");
        },
    .what_problems_say = "What the problems say",
    .say_the_same = "Both say the same, words aside.",
    .key = "key",
    .not_given = "not given",
    .mean_of_heads = "the mean of all heads",
    .steps = "Steps",
    .step = "step",
    .verdict = "verdict",
    .how = "how",
    .same = "same",
    .close = "close",
    .differs = "differs",
    .other_shape = "other shape",
    .not_all_orders = "not every order of its axes was tried: there are too many numbers",
    .only_in = "only in {}",
    .sizes = "{} in {}, {} in {}",
    .so_many = "{} of {}, by up to {}",
    .so_many_and_nan = "{} of {}, NaN among them",
    .up_to = "by up to {}",
    .called = "called {} in {}",
    .in = "{} in {}",
    .listed_only_in = "Only in {}: {}.",
    .unread = "{} {}.",
    .more_unread = "{} has {} more of which no numbers are read.",
    .and_more = "{}, and {} more",
    .unknown_names = "Names in {1} that are no step of {0}: {2}.",
    .first_difference = "The first difference: {}",
    .no_exchange_of_axes = "{} is {} in {} and {} in {}, which no exchange of axes makes the same.",
    .cell = "{} is {} in {} and {} in {}",
    .step_of_one = "{} is a step of {}, and not of {}.",
    .farthest = "{} of {} numbers differ. Farthest apart: {}, {} apart.",
    .relatively_farthest = "Relative to {}: {}, apart by {} it.",
    .is_relatively_farthest = "That is {1} {0}'s number, the most of all cells.",
    .share = "{} of",
    .percent = "{} % of",
    .times = "{} times",
    .differing_by_nan = "{} of {} numbers differ, for one: {}.",
    .made_of_same = "What it is made of agrees: {}.",
    .made_of_other = "What it is made of differs, too: {}.",
    .multiple = "Every number of {1} is {2} times that of {0}.",
    .other_heads = "The heads stand in another order: those of {1} are {0}'s {2}.",
    .other_step = "The numbers of {1} are those of {0}'s {2}.",
    .known_multiple = "Every number of {1} is {2} times that of {0} ({3}).",
    .log2_e = "log₂e, as where powers of 2 are taken",
    .ln_2 = "ln 2",
    .turned_signs = "the signs are turned",
    .only_rounding = "That is no more than rounding leaves: nothing else differs.",
    .what_explains_it = "What explains it",
    .unexplained =
        "No mistake or convention that attn knows makes {0}'s {2} those of {1}. attn list mistakes and "
        "attn list conventions tell which there are.",
    .unexplained_by_tried = "None of the mistakes and conventions that were tried makes {0}'s {2} those of {1}.",
    .explained_above = "Of mistakes and conventions nothing more than that.",
    .not_all_tried =
        "Not every mistake and convention was tried: there are too many numbers to work them out anew for each.",
    .others_not_tried =
        "Whether other mistakes and conventions explain as much was not tried of all: there are too many numbers to "
        "work them out anew for each.",
    .besides = "Besides, it is as if ",
    .one_gets = "From {} one gets {}'s numbers as if ",
    .it_is = "In {} it is as if ",
    .cause = "{}{}: {}. {}",
    .as_well = "As much would be explained by {}.",
    .not_alone = "That alone does not make {} agree.",
    .agrees = "With that {} agrees",
    .and_so = [](Text steps, bool one) { return (one ? ", and so does " : ", and so do ") + steps; },
    .still_differs = "; {} still differs.",
    .and_all_behind = ", and all that follows: {}.",
    .the_last = ", the last that both have.",
};

}  // namespace attn
