#pragma once

#include <optional>

#include "problem/sources.h"

namespace attn {

// What integers of a problem that belong to its sequences have to fit.
struct SequenceSetting {
  const Side* queries;
  const Side* keys;
  std::size_t past;   // keys before them
  std::size_t limit;  // of tokens
};

// How many keys of each sequence are valid, `past` ones among them: what
// `lengths` says, at most `limit` and what the sequence has; nothing where
// neither lengths nor ragged sequences say anything, or where they are faulty.
std::optional<PerSequence> valid_lengths(const RawIntegers* lengths, const SequenceSetting& setting, Faults& faults);

// The positions of the first queries, `past` where the file says nothing; nothing
// where all are 0.
std::optional<PerSequence> valid_offsets(const RawIntegers* offset, const SequenceSetting& setting, Faults& faults);

}  // namespace attn
