#include <string>

#include "words/english/english.h"

namespace attn {

constexpr GeometryWords english_geometry = {
    .title = "Geometry",
    .arrows = "Queries and keys as arrows",
    .points = "The context among the values",
    .turning = "Position as turning",
    .sharpening = "Temperature as sharpening",
    .principal = "principal direction {} ({} %)",
    .axis = "number {}",
    .queries_and_keys = "Queries and keys",
    .the_values = "The values",
    .as_they_are = "{} have {} numbers each and are drawn as they are.",
    .on_a_line = "{} have one number each, so all of them lie on one line.",
    .in_space =
        "{} have 3 numbers each and are seen from one side (axonometric): lengths and angles are true in the "
        "numbers, and foreshortened in the drawing.",
    .in_principal =
        [](Text what, std::size_t width, Text share, bool is_spread) {
          return what + " have " + std::to_string(width) + " numbers each. Drawn are their two principal directions, " +
                 (is_spread ? "along which they differ most; these keep " + share + " % of their spread."
                            : "along which they reach farthest from zero; these keep " + share +
                                  " % of the squares of their lengths. Angles are true in the numbers, and "
                                  "foreshortened in the drawing.");
        },
    .by_product =
        "{0} = |{1}|·|{2}|·cos θ: of two keys of one length, that at the smaller angle has the larger score; a "
        "longer key makes the score larger below 90°, and smaller beyond.",
    .by_cosine = "{0} = cos θ: the score is the angle's alone, however long the arrows are.",
    .by_more = "The score of this attention is not the dot product alone: the arrows are what it starts from.",
    .no_arrows = "Queries and keys are not vectors of one width, and are not drawn.",
    .paler = "What is closed to this query is drawn paler.",
    .only_named = "The {} keys with the largest weights are named; the other {} are drawn without a name.",
    .within =
        "{0} is the sum of the values, each times its weight: as no weight is negative and they sum to 1, it lies "
        "within "
        "the hull of the values that are open.",
    .within_zero =
        "{0} is the sum of the values, each times its weight: as no weight is negative and a sink takes the rest, it "
        "lies "
        "within the hull of the values that are open and zero.",
    .not_within = "{0} is drawn where it is: it is not a mean of the values alone, so their hull need not hold it.",
    .all_closed = "Every key is closed to this query: it takes nothing.",
    .way =
        "The dashed line is the way of the context as all that softmax reads grows from nothing to very much: first "
        "all "
        "that is open counts alike, in the end the largest alone.",
    .way_of_sink = "There the sink counts as a value of zero.",
    .turned_so =
        "Position {} turns pairs of numbers of the query, each by an angle of its own, and leaves its length as it "
        "is: of positions only the difference of two is left in a score.",
    .times =
        "What softmax reads, times 1/4, 1/2, 1, 2 and 4, that is at temperature 4, 2, 1, 1/2 and 1/4: the larger, "
        "the sharper. In the middle are the weights themselves.",
    .blunt_to_sharp = "Weights, from blunt to sharp",
    .length = "length",
    .cosine = "cos θ",
    .angle = "angle",
    .degrees = "degrees",
    .weight = "weight",
    .key = "key",
    .pair = "pair",
    .before = "before",
    .after = "after",
    .closed = "closed",
    .no_weights = "its queries, keys and weights are not all steps here",
    .too_many_keys = "there are {} keys, and at most {} are drawn",
    .no_query = "it has no query {}, or that is padding",
    .no_such_part = "no attention is among what is shown",
};

}  // namespace attn
