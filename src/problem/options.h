#pragma once

#include <map>
#include <optional>
#include <vector>

#include "problem/lengths.h"
#include "problem/option.h"

namespace attn {

// What a problem says of its options, by their names. Those that say nothing
// (false, an empty list, an offset of 0) are left out, and so are faulty ones.
// Sizes that are not known yet are passed over: `sequences` and `scores`, the
// shape of the scores.
std::map<std::string, OptionValue, std::less<>> fitted_options(
    std::map<std::string, Stated<RawOption>, std::less<>>& given, const std::vector<OptionSpec>& specs,
    const std::optional<SequenceSetting>& sequences, const std::optional<Shape>& scores, Budget& budget,
    Faults& faults);

}  // namespace attn
