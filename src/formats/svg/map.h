#pragma once

#include <vector>

#include "explain/document.h"
#include "formats/format.h"
#include "formats/svg/theme.h"
#include "formats/svg/told.h"

namespace attn {

// One step as a heat map with its numbers, a card a head and sequence; attention
// weights with their arcs beside it. REQUIRES: all are of one step, and there is one.
Drawing map_drawing(const std::vector<ToldMatrix>& places, const FormatOptions& options, const Theme& theme);

}  // namespace attn
