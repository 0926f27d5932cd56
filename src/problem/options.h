#pragma once

#include <map>
#include <optional>
#include <vector>

#include "problem/option.h"
#include "problem/regular.h"
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

// The rules of `mask`, each known to broadcast, aligned right, to the shape of
// the scores. Where that is not known only the values are checked.
std::vector<MaskTerm> mask_terms(std::vector<RawMask> masks, const std::optional<Shape>& scores, Budget& budget,
                                 Faults& faults);

// What a problem says of its options, by their names. Those that say nothing
// (false, an empty list, an offset of 0) are left out, and so are faulty ones.
// Sizes that are not known yet are passed over: `sequences` and `scores`, the
// shape of the scores.
std::map<std::string, OptionValue, std::less<>> fitted_options(
    std::map<std::string, Stated<RawOption>, std::less<>>& given, const std::vector<OptionSpec>& specs,
    const std::optional<SequenceSetting>& sequences, const std::optional<Shape>& scores, Budget& budget,
    Faults& faults);

// Gives the attention the score, positions and softmax that a file chooses, every
// tensor of them of the shape that their specs ask for; what does not fit the
// problem is reported.
void fit_choices(Statement& statement, const Catalog& catalog, const ChoiceSetting& setting, Vectors vectors,
                 Attention& attention, Budget& budget, Faults& faults);

}  // namespace attn
