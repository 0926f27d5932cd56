#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr OnlineWords english_online = {
    .block_maximum = "Largest score of each block of keys",
    .block_maximum_formula = "{} = max of each block of {0}",
    .running_maximum = "Largest score so far",
    .running_maximum_formula = "{} = max of {} of the block before and {0}",
    .rescale = "What earlier sums are multiplied with, for a larger maximum is subtracted now",
    .rescale_exponent = "({0} of the block before − {0})",
    .block_exponentials = "Exponentials of the differences to the largest score so far",
    .exponentials_exponent = "({0} − {1} of its block)",
    .running_sum = "Sum of the exponentials so far",
    .running_sum_formula = "{} = {} of the block before · {1} + sum of each block of {0}",
    .running_context = "Sum of exponential · value so far",
    .running_context_formula = "{} = {} of the block before · {2} + {0}·{1} of each block",
    .context = "Context: what the last block leaves, divided by its sum",
    .context_formula = "{} = last {0} / last {1}",
    .nothing_before = "nothing came before",
    .softmax = [](std::size_t keys) { return "online, " + counted(keys, "key") + " at a time"; },
    .idea_softmax = ": softmax, worked out a few keys at a time, makes them ",
    .last = "the last ",
    .is_largest = " is the largest score of each row",
    .is_sum = " is the sum of all exponentials of each row",
    .is_weighted = " is softmax of each whole row, times ",
    .no_exponentials = "\"softmax\" is {}, which has no exponentials to rescale",
    .has_sink = "\"softmax\" is {}, whose sink is told with all keys at once only",
    .needs_weights = "positions of the kind {} add to the context by the attention weights, which are never made",
};

}  // namespace attn
