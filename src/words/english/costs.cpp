#include <string>

#include "words/english/english.h"

namespace attn {

constexpr CostWords english_costs = {
    .title = "What it costs",
    .step = "step",
    .multiplications = "×",
    .additions = "+ and −",
    .divisions = "÷",
    .exponentials = "e^",
    .comparisons = "<",
    .functions = "tanh, √, …",
    .read = "read",
    .written = "written",
    .all = "all together",
    .how_counted =
        "Counted from each operation and its shapes, in {}: a sum of n terms is n additions, for it "
        "starts from 0; each operand is read once, and each result written once.",
    .closed_cells_save = "Closed cells save {} of {} operations, {} %.",
    .next_token =
        "One more token like these takes {} operations; {} where keys and values of the others are in a "
        "cache, {} % of that.",
    .layers = "Beside other layers",
    .layer = "layer",
    .operations = "operations",
    .here = "here",
    .sequential = "in a row",
    .path = "path",
    .crossing = "crossing",
    .self_attention = "self-attention",
    .recurrent = "recurrent",
    .convolutional = "convolutional",
    .restricted = "restricted",
    .of_sizes =
        "What n = {} tokens of width d = {} take to hear of each other (Vaswani et al. 2017, table 1), with "
        "kernels of k = {} tokens, or r = {} neighbours: how many operations; how many one after another, "
        "however many machines there are; over how many steps the two that are farthest apart are joined; and up "
        "to how many tokens self-attention takes no more operations than that.",
};

}  // namespace attn
