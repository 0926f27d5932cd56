#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr HeadsWords english_heads = {
    .title = "Where the heads look",
    .how_ranked =
        "Each head gives every token's attention to others in shares. Here is which share goes where, on average "
        "over the tokens that have such a neighbour.",
    .itself = "to itself",
    .previous = "one back",
    .next = "one ahead",
    .first = "to the first",
    .no_neighbour = "No token has such a neighbour.",
    .from_to = [](Text query, Text key) { return "from " + query + " to " + key; },
    .head = "head",
    .share = "share",
    .head_of = [](Text part,
                  std::size_t head) { return (part.empty() ? "" : part + " · ") + "head " + std::to_string(head); },
    .tenths = "A row is a query, a column a key; a digit is the weight in tenths, · one below a twentieth, ? NaN.",
    .query = "query",
    .keys = "keys, from the first on",
};

}  // namespace attn
