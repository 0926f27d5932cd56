#pragma once

#include <optional>
#include <vector>

#include "problem/sources.h"

namespace attn {

// How many keys of each sequence are valid, `past` ones among them: what
// `lengths` says, at most `limit` and what the sequence has; nothing where
// neither lengths nor ragged sequences say anything, or where they are faulty.
std::optional<std::vector<std::size_t>> valid_lengths(const Stated<RawIntegers>& lengths, const Side& keys,
                                                      std::size_t past, std::size_t limit, Faults& faults);

// The positions of the first queries, `past` where the file says nothing; empty
// where all are 0.
std::vector<std::int64_t> valid_offsets(const Stated<RawIntegers>& offset, const Side& queries, std::size_t past,
                                        Faults& faults);

}  // namespace attn
