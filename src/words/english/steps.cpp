#include <string>

#include "base/numbers.h"
#include "base/text.h"
#include "words/english/english.h"

namespace attn {

namespace {

std::string plural(Text part) { return part == "query" ? "queries" : part + "s"; }

}  // namespace

constexpr StepWords english_steps = {
    .inputs =
        [](Text part) {
          return part.empty() ? std::string("Inputs") : "Inputs that the " + plural(part) + " are made from";
        },
    .with_positions = "{}, with their positions",
    .fewer_encodings = "Position encoding of as many positions as there are here",
    .first_vectors = "the first {} vectors of {{0}}",
    .split_inputs = "Inputs split into heads",
    .columns_of_head_h = "{} = columns of {0} that belong to head h",
    .given = "{} is given",
    .weights_for = "Weights for {}",
    .bias_for = "Bias for {}",
    .vectors = [](Text vectors) { return capitalised(vectors); },
    .wide = [](Text vectors) { return capitalised(vectors) + " of all heads, side by side"; },
    .columns_of_each_head = "{} = columns of {0} that belong to each head",
    .past = "Past {}, from the cache",
    .appended = "Appended {}, always open",
    .all_vectors =
        [](Text vectors, bool past, bool appended) {
          return "All " + vectors + ": new ones with " + (past ? "past ones before" : "") +
                 (past && appended ? " and " : "") + (appended ? "appended ones behind" : "");
        },
    .repeated = "Each head's {} once for each of the {} query heads that share them",
    .repeated_formula = "{{}} of head h = {{0}} of head ⌈h / {}⌉",
    .distance_scores = "Each query with the vector of each distance",
    .relative_scores = "What the distance from query to key adds to their score",
    .relative_values = "The vector that the distance from query to key adds to a value",
    .relative_context = "What distances add to the context",
    .relative = "relative, a vector for each distance from query to key",
    .t5_bias = "T5's bias: what the table says for the bucket of the distance",
    .of_bucket = "{} = {0} of bucket(j − i)",
    .t5 =
        [](std::int64_t buckets, bool bidirectional, double distance) {
          return "T5, " + std::to_string(buckets) + " buckets of distances" +
                 (bidirectional ? ", half of them for keys behind the query" : "") + ", up to distance " +
                 shortest(distance);
        },
    .relative_keys = "A key for each distance",
    .relative_queries = "A query for each distance",
    .all_heads_wide = "{}, all heads side by side",
    .key_distance_scores = "Each key with the query of each distance",
    .query_distance_scores = "Each query with the key of each distance",
    .content_to_position = "Content to position: the query with the key of the distance",
    .position_to_content = "Position to content: the key with the query of the distance",
    .deberta = "DeBERTa's, a key and a query for each distance",
    .learned_encoding = "Position encoding: a learned vector for each position",
    .rows_for_positions = "{} = the rows of {0} for the positions",
    .learned = "learned, a vector for each, added to the inputs",
    .sinusoidal_encoding = "Position encoding: sines and cosines of ever longer waves",
    .alternating_waves = "{{}} = sin({0}) at column 2i, cos at column 2i + 1",
    .sinusoidal = [](double base) { return "sinusoidal, base " + shortest(base) + ", added to the inputs"; },
    .rotation_cosines =
        [](Text part) {
          return "Cosines of the angle by which each position" + (part.empty() ? "" : " of a " + part) +
                 " turns each pair";
        },
    .rotation_sines =
        [](Text part) {
          return "Sines of the angle by which each position" + (part.empty() ? "" : " of a " + part) +
                 " turns each pair";
        },
    .rotated_keys = "Keys, each pair turned by its angle: a·cos − b·sin, b·cos + a·sin",
    .rotated_queries = "Queries, each pair turned by its angle: a·cos − b·sin, b·cos + a·sin",
    .turned = "{} = {0} turned",
    .rope =
        [](double base, bool interleaved, std::size_t dims) {
          return "rotary, base " + shortest(base) + ", pairs of columns (1, " +
                 (interleaved ? "2" : std::to_string(dims / 2 + 1)) + (dims > 2 ? "), …" : ")");
        },
    .slopes = "Slopes of ALiBi, one a head",
    .slope_of_head = "{} = 2^(−8h/H) for h = 1, …, H",
    .distances = "How far apart query and key stand, below zero",
    .alibi_bias = "ALiBi: the farther apart, the more is taken off",
    .alibi =
        [](const std::vector<std::string>& powers) {
          if (powers.size() == 1) return "ALiBi, −|i − j| times the slope 2^(" + powers.front() + ")";
          std::string all;
          for (const std::string& power : powers) all += (all.empty() ? "2^(" : ", 2^(") + power + ")";
          return "ALiBi, −|i − j| times the slope of the head: " + all;
        },
    .general_queries = "Queries times the weight of the score",
    .general_scores = "Scores: each query, times the weight, with each key",
    .dot_scores = "Scores: each query times each key",
    .pairs = "Each query with each key behind it",
    .hidden_of_pairs = "Hidden numbers of each pair: the pair times the weight of the score",
    .hidden_tanh = "Hyperbolic tangent of the hidden numbers",
    .hidden_scores = "Scores: v with the tanh of each pair",
    .additive_queries = "Queries times the score's weight for queries",
    .additive_keys = "Keys times the score's weight for keys",
    .hidden_sums = "Hidden numbers of each pair: both added up",
    .each_pair = "{} = {0} + {1}, each pair",
    .length_of_each = "Length of each {}",
    .root_of_squares = "{{}} = √(sum of the squares of each {})",
    .cosine_scores = "Scores: the cosine of the angle between each query and each key",
    .and_positions = "{}, and what positions add",
    .times_scale = "Scores times the scale",
    .scale_formula = "{} = {0} × scale",
    .scaled =
        [](Text root, std::size_t products) {
          return "Scores divided by " + root +
                 (products == 1 ? ", the root of the width of a key"
                                : ": they are sums of " + std::to_string(products) + " products");
        },
    .capped = "Scores capped: squeezed between −c and c",
    .masked = "Scores with closed cells at −∞",
    .masked_formula = "{} = {0} where open, −∞ where closed",
    .masked_and_added = "Scores with what is added, closed cells at −∞",
    .masked_and_added_formula = "{} = {0} + {1} where open, −∞ where closed",
    .mask = "Mask: which query may attend to which key",
    .mask_formula = "{} = 1 where open, 0 where closed",
    .score_bias = "What is added to the scores",
    .causal = "causal: a query sees no key after its own position",
    .open_where = "open where {}",
    .window = "window: the key is too far from the query's own position",
    .open_everywhere = "open everywhere",
    .position = [](bool offset) { return std::string(offset ? "i + offset" : "i"); },
    .lengths = "lengths: keys past the end of a sequence are padding",
    .within_length = "open where j ≤ length",
    .mask_allow = "mask: the problem does not allow this cell",
    .mask_allow_formula = "open where allowed",
    .mask_block = "mask: the problem blocks this cell",
    .mask_block_formula = "open where not blocked",
    .mask_add = "mask: closed where the problem adds −∞; any other number is added to the score",
    .mask_add_formula = "open where more than −∞ is added",
    .mask_bias = "added to the scores",
    .mask_bias_formula = "given",
    .row_maximum = "Largest score of the row",
    .row_maximum_with_sink = "Largest score of the row, the sink among them",
    .row_sum = "Sum of the exponentials of the row",
    .row_sum_with_sink = "Sum of the exponentials of the row, the sink's among them",
    .row_maximum_formula = "{} = max of each row of {0}",
    .row_maximum_with_sink_formula = "{} = max of each row of {0} and {1}",
    .exponentials = "Exponentials of the differences to the maximum",
    .powers = "Powers of the differences to the maximum",
    .row_sum_formula = "{} = sum of each row of {0}",
    .row_sum_with_sink_formula = "{} = sum of each row of {0} + e^({1} − {2})",
    .softmax_weights = "Attention weights: softmax of each row of scores",
    .shares = "Attention weights: each score's share of its row",
    .shares_formula = "{} = {0} / sum of each row of {0}",
    .linear = "none: each score is divided by the sum of its row",
    .sink = "with a sink, a score that takes weight and has no value",
    .base = [](double base) { return "powers of " + shortest(base) + ", not of e"; },
    .weighted_values = "Weighted values: each value times its attention weight",
    .context = "Context: the sum of each query's weighted values",
    .at_once_formula = "{} is computed at once",
    .concat = "The contexts of all heads, side by side",
    .concat_formula = "{} = the heads' {0} side by side",
    .output_weights = "Weights of the output projection",
    .output_bias = "Bias of the output projection",
    .output = "Output",
    .positions = "Positions",
    .softmax = "Softmax",
    .offset = "Offset",
    .window_name = "Window",
    .offsets =
        [](const std::vector<std::int64_t>& of) {
          std::string all;
          for (const std::int64_t offset : of) all += (all.empty() ? "" : ", ") + std::to_string(offset);
          return "the first query stands at position " + all + ", counted from 0" +
                 (of.size() > 1 ? ", a number a sequence" : "");
        },
    .sees =
        [](std::int64_t left, std::int64_t right) {
          const auto keys = [](std::int64_t count) {
            return count < 0 ? "all keys" : counted(static_cast<std::size_t>(count), "key");
          };
          return "a query sees its own position, " + keys(left) + " before it and " + keys(right) + " behind it";
        },
    .weighted_values_left_out = "the weighted values are left out: more than 100,000 numbers",
    .weighted_values_by = "--only {} shows the weighted values",
    .at_once =
        "computed at once, without the steps between: its last digits may differ from those of the steps, and from "
        "one kind of processor to another",
    .at_once_in_16_bits = "; between, sums are f32, and only weights and contexts are rounded to the dtype",
    .overflow =
        "{} is {}: too large for this dtype, or made from a number that is not finite; what follows from it means "
        "nothing",
    .undefined = "{} is nan: 0/0, ∞ − ∞ or the like, or made from such; what follows from it means nothing",
    .zero_vector = "{} is 0: a vector without length has no angle, and its cosines are 0",
    .closed_row = "row {} has every key closed: its weights and its context are all 0",
};

}  // namespace attn
