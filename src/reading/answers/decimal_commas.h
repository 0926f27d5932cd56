#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

// Commas that stand before decimals where they separate numbers: [0,06 0,47].

namespace attn {

// Where the pieces stand that have nothing but a comma between any two; a row has one
// or more of such runs.
using CommaRun = std::vector<TextRange>;
using CommaRuns = std::vector<CommaRun>;

// Says so where the commas in rows of numbers stand before decimals: where blanks then
// separate the numbers, where otherwise there are not as many as wanted, or where "0,06"
// stands, with a zero that no whole number begins with. A shape that fits as it is
// written is none of the last two. `or_else` is added to what to do.
std::optional<Diagnostic> decimal_comma_fault(std::string_view text, const std::vector<CommaRuns>& rows,
                                              std::optional<std::size_t> wanted, const std::string& or_else = "");

}  // namespace attn
