#pragma once

#include <string_view>
#include <vector>

#include "compare/key_difference.h"

namespace attn {

// The keys that two problem files do not both have, or have with another value,
// in the order of the first file; not those that change no number (title,
// notes, digits, x-…; tokens without embeddings).
// REQUIRES: both are the texts of valid problems.
std::vector<KeyDifference> differing_keys(std::string_view first, std::string_view second);

}  // namespace attn
