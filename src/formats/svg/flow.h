#pragma once

#include <string>

#include "explain/document.h"
#include "formats/format.h"
#include "formats/svg/theme.h"

namespace attn {

// The matrices of a whole computation as boxes, joined by arrows as its data
// flows: a box a step; of several heads and sequences the first with its numbers,
// the others as small maps.
Drawing flow_drawing(const Document& document, const FormatOptions& options, const Theme& theme);

}  // namespace attn
