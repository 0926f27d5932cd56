#pragma once

#include <string>

#include "model/masks/mask.h"

namespace attn {

// A rule that closes cells by where query and key stand: open for the keys that
// a query sees around its own position, which is i + offset for the i-th.
MaskRule closing_by_position(const Problem& problem, Heading heading, Window sees);

// "i", or "i + offset".
std::string written_position(const Problem& problem);

}  // namespace attn
