#pragma once

#include "explain/document.h"
#include "formats/svg/theme.h"

namespace attn {

// How one number came about, drawn out: of a dot product both rows of numbers one
// above the other, their products and the sum; else what went in, the arithmetic,
// what came out.
Drawing sum_drawing(const Branch& branch, const Theme& theme);

}  // namespace attn
