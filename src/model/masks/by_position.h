#pragma once

#include <cstdint>
#include <functional>

#include "model/masks/mask.h"

namespace attn {

// A rule that closes cells by where query and key stand: open where
// sees(behind), for a key so many positions behind its query, before it where
// that is below zero. The i-th query stands at i + offset.
MaskRule closing_by_position(const Problem& problem, Heading heading, std::function<bool(std::int64_t)> sees);

// "i", or "i + offset".
std::string written_position(const Problem& problem);

}  // namespace attn
