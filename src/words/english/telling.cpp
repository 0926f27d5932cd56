#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

namespace {

std::string places_of(std::string_view axis, std::size_t count) {
  const std::string s = count == 1 ? "" : "s";
  if (axis == "batch") return "sequence" + s;
  return axis == "head" ? "head" + s : "sequence" + s + " or head" + s;
}

}  // namespace

constexpr TellingWords english_telling = {
    .idea_each = "Each ",
    .idea_compared = " is compared with every ",
    .idea_match = "; how well they match is a ",
    .idea_softmax = ". Softmax turns the scores of a query into ",
    .idea_shares = ". Each score divided by the sum of its query's scores is one of the ",
    .idea_sum_1 = ": none is negative, and they sum to 1. The ",
    .idea_shares_sum_1 = "; they sum to 1. The ",
    .idea_sum_less = ": none is negative, and they sum to less than 1, for a sink takes the rest. The ",
    .idea_added = ", added up with these weights, are the query's ",
    .idea_end = ".",
    .query = "query",
    .key = "key",
    .values = "values",
    .score = "score",
    .weights = "attention weights",
    .context = "context",
    .only_the_result = "Only the result is shown.",
    .only_the_head = "What this head computes by itself is shown, and nothing that all heads share.",
    .every_matrix = "The matrix of every step is shown.",
    .every_row = "Every row is shown on a line.",
    .steps_by = "--explain steps shows every step, rows and cells more of each",
    .shared_by = "--explain steps shows what all heads share, too",
    .rows_by = "--explain rows adds a line a row, cells every product",
    .products_by = "--explain cells writes out every product",
    .result = "Result",
    .what_must_hold = "What must hold, and does it?",
    .notes = "Notes",
    .dot_product = "Each number is a dot product: multiply pair by pair, then add.",
    .more_of_these = "more of these",
    .more_rows = "more rows",
    .more_queries = "more queries",
    .more_notes = "more notes of this kind",
    .one_place_by = "--batch and --head pick one sequence and head, --full shows all",
    .one_query_by = "--query picks one query, --full shows all",
    .all_by = "--full shows all",
    .left_out = [](std::size_t count, Text what) { return "… " + std::to_string(count) + " " + what; },
    .more_places = [](Text axis) { return "more " + places_of(axis, 2); },
    .in_the_same_way =
        [](std::size_t rows, bool of_queries, std::size_t places, Text axis) {
          std::string more;
          const bool one = rows == 1;
          if (rows > 0) more = std::to_string(rows) + " more ";
          if (rows > 0) more += of_queries ? (one ? "query" : "queries") : (one ? "row" : "rows");
          if (places > 0) {
            more += (more.empty() ? "" : " and ") + std::to_string(places) + " more " + places_of(axis, places);
          }
          return "… " + more + " in the same way";
        },
    .padded =
        [](std::size_t count, Text axis) {
          return counted(count, "row") + " of " + axis +
                 (count == 1 ? " is padding: it is" : " are padding: they are") + " worked out too, but not told here";
        },
    .all_heads = "All heads",
    .all_queries = "All queries together",
    .one_query_told = "Query {}",
    .given = "What is given",
    .sequences = "Sequences",
    .heads = "Heads",
    .the_score = "Score",
    .the_mask = "Mask",
    .the_norm = "Norm",
    .numbers = "Numbers",
    .shown = "Shown",
    .shared_heads = "{} of queries, {} of keys and values",
    .rounded =
        [](int decimals) {
          return "every step is rounded to " + counted(static_cast<std::size_t>(decimals), "decimal");
        },
    .half_up = ", ties away from zero",
    .half_even = ", ties to the even digit",
    .truncate = " by cutting off the rest",
    .keep_sum = ", the weights so that each row still sums to 1",
    .then = ", then ",
    .here = ", here {}",
    .with_c = " with c = {}",
    .with_eps = "with ε = {}",
    .not_scaled = ", not scaled",
    .precision =
        [](std::string_view dtype) {
          static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> words = {{
              {"f64", "double precision"},
              {"f32", "single precision"},
              {"f16", "half precision"},
              {"bf16", "bfloat16"},
          }};
          const auto found = std::ranges::find(words, dtype, &std::pair<std::string_view, std::string_view>::first);
          return std::string(found == words.end() ? dtype : found->second);
        },
    .arithmetic =
        [](Text precision, int digits, bool rounds_once, Text by_hand) {
          return precision + ", about " + std::to_string(digits) + " digits" +
                 (rounds_once ? "; each step is computed in double precision and rounded once" : "") +
                 (by_hand.empty() ? "" : "; by hand: " + by_hand);
        },
    .approximate =
        [](int decimals, bool by_hand, Text precision) {
          const std::string to = "to " + std::to_string(decimals) + " decimals";
          if (!by_hand && precision.empty())
            return "≈ marks what is rounded for the eye, " + to + "; every step is computed in full";
          return "≈ marks what is rounded, " + (by_hand ? "by hand" : "to " + precision) + " or, " + to +
                 ", for the eye";
        },
    .closed_by =
        [](const std::vector<std::string>& rules) {
          std::string all;
          for (const std::string& rule : rules) all += (all.empty() ? " by " : " and ") + rule;
          return "closed" + all;
        },
    .yes = [](std::size_t count, Text what) { return count <= 1 ? "yes" : "yes, all " + counted(count, what); },
    .no = [](std::size_t failed, std::size_t count,
             Text what) { return "no: not in " + std::to_string(failed) + " of " + counted(count, what); },
    .closed_rows_left_out = [](std::size_t count) { return "; " + counted(count, "closed row") + " left out"; },
    .row = "row",
    .cell = "cell",
    .number = "number",
    .sums_range = "; the sums go from {} to {}",
    .sums_not_numbers = [](std::size_t count) { return "; " + counted(count, "sum") + " NaN"; },
    .each_row_of = "each row of ",
    .sums_to_1 = " sums to 1",
    .sums_to_1_at_most = " sums to 1 at most: the rest is the sink's",
    .closed_cells_of = "closed cells of ",
    .exactly_0 = " are exactly 0",
    .stays_within = " stays within the range of each column of ",
    .and_0 = " and 0",
    .for_rounded = ", for every step is rounded by hand",
    .how_exact = "How exact are the numbers?",
    .since_givens = "from what is given on",
    .by_itself = "this step by itself",
    .exact = "exact",
    .good_to =
        [](int digits, Text bound) {
          const std::string off = bound.empty() ? "" : "at most " + bound + " from the exact numbers";
          if (digits == 0) return off;
          return "good to " + counted(static_cast<std::size_t>(digits), "digit") + (off.empty() ? "" : ": ") + off;
        },
    .at_most = "at most {}",
    .worst_is =
        [](Text cell, int digits) {
          return "; least sure is " + cell + ", good to " +
                 (digits == 0 ? "no digit" : counted(static_cast<std::size_t>(digits), "digit"));
        },
    .not_known =
        [](std::size_t count) {
          return "how far " + counted(count, "number") + (count == 1 ? " is" : " are") + " from exact is not known";
        },
    .levels_shown =
        [](std::size_t depth, std::size_t deepest) {
          return counted(depth, "level") + " of up to " + std::to_string(deepest) +
                 (depth == 1 ? " is shown." : " are shown.");
        },
    .deeper_by =
        [](std::size_t depth, std::size_t deepest) {
          return "--depth " + std::to_string(depth + 1) + " shows one level more, --depth " + std::to_string(deepest) +
                 " goes back to the inputs";
        },
    .stops_at_edge = "What other parts made is taken as it is.",
    .beyond_edge_by = "--depth {} goes back to the inputs",
    .lists_cut = "Long lists are cut.",
    .sums_cut =
        [](std::size_t most) {
          return "Of a long sum " +
                 (most == 1 ? "the largest term is" : "the " + std::to_string(most) + " largest terms are") +
                 " written, and what the others come to.";
        },
    .more_terms_by = "--top takes another number of terms, and --full leaves nothing out",
    .padding_query = "query {} of sequence {} is padding: it is worked out like any other, but nobody reads it",
    .at_place = ", at {}",
    .one_number_by = "ask for one number to follow it back to the inputs: {}",
    .how_to_ask = "write a step and an index an axis, from 1: scores[1,2], or labels: scores[it,dog]",
    .quote_not_closed = "a quote is opened and not closed in `{}`",
    .no_bracket_at_end = "`{}` has no ] at its end",
    .empty_index = "`{}` has an empty index",
    .names_no_step = "`{}` names no step",
    .too_much = "`{}` is too much in `{}`",
    .no_such_step = "this problem has no step `{}`{}",
    .symbol_of_several = "`{}` is the symbol of several steps: {}",
    .give_the_id = "write the id of one",
    .its_steps_are = "its steps are {}",
    .given_are = "; given are {}",
    .outside =
        [](Text tensor, Text axis, Text index, std::size_t size) {
          return tensor + " has no " + axis + " " + index + ": " + axis +
                 (size == 1 ? " can be 1 only" : " goes from 1 to " + std::to_string(size));
        },
    .several = "`{}` is more than one {}: {} and {}",
    .give_the_number = "give the number of the one you mean, in place of the label",
    .numbers_only = "`{}` is no {} of {}: they have numbers only",
    .write_number = "write {}; {}",
    .number_up_to = "a number from 1 to {}",
    .no_such_label = "no {} of {} is called `{}`{}",
    .write_label = "write one of {}, or {}",
    .axes_of = "{} has {}",
    .other_count =
        [](Text typed, std::size_t indices, Text tensor, std::size_t axes) {
          return "`" + typed + "` has " + counted(indices, "index") + ", and " + tensor + " has " +
                 counted(axes, "axis");
        },
    .an_index_for_each = "{}: write an index for each",
    .one_number = "one number",
    .rows_are = "rows: {}",
    .columns_are = "columns: {}",
    .rows_and_columns_are = "rows: {}, columns: {}",
    .each_row_1 = "; each row sums to 1",
    .each_row_1_or_0 = "; each row sums to 1, closed rows to 0",
    .here_only = "; here only query {}",
    .no_row = "no row is picked",
    .not_turned = "not turned",
    .every_cell_closed = "every cell is closed",
    .zero_divisor = "0 where the divisor is 0",
    .closed = "closed",
    .open = "open",
    .sink_number = "sink ",
    .is_given = "given",
    .see_above = "see above",
    .so_many_more = "… {} more:",
    .other_terms = "{} more: ",
    .others = "… {} more",
    .by_hand =
        [](int decimals, bool cut, bool keeps_sum) {
          return (cut ? " cut to " : " rounded to ") + counted(static_cast<std::size_t>(decimals), "decimal") +
                 (keeps_sum ? ", so that the row keeps its sum" : "");
        },
    .rounded_to = "{}, rounded to {}",
    .axis =
        [](Text axis) {
          static constexpr std::array<std::pair<std::string_view, std::string_view>, 19> words = {{
              {"batch", "sequences"},
              {"head", "heads"},
              {"query", "queries"},
              {"key", "keys"},
              {"value", "values"},
              {"block", "blocks of keys"},
              {"token", "inputs"},
              {"d_model", "input features (d_model)"},
              {"d_k", "features (d_k)"},
              {"d_v", "features (d_v)"},
              {"d_head", "input features of a head (d_head)"},
              {"d_concat", "features of all heads (d_concat)"},
              {"d_out", "output features (d_out)"},
              {"d_hidden", "hidden features (d_hidden)"},
              {"d_pair", "features of a query and a key (d_pair)"},
              {"pair", "pairs of features"},
              {"distance", "distances"},
              {"position", "positions"},
              {"bucket", "buckets of distances"},
          }};
          const auto found = std::ranges::find(words, axis, &std::pair<std::string_view, std::string_view>::first);
          return std::string(found == words.end() ? std::string_view(axis) : found->second);
        },
    .sequence_of = "Sequence {} of {}",
    .head_of = "Head {} of {}",
    .a_mistake = "A mistake.",
    .a_convention = "Another convention: it does not make an answer wrong.",
    .a_note = "Worth a note: it does not make an answer wrong.",
    .known_mistakes = "Known mistakes",
    .mistake = "{}: {}. Example: {}",
    .looks_as_if = "It looks as if {}.",
    .for_example = "Example: {}",
    .what_to_do = "What to do: {}",
    .what_there_is = "What there is",
};

}  // namespace attn
