#pragma once

#include <vector>

#include "explain/document.h"
#include "formats/format.h"
#include "formats/places.h"
#include "formats/svg/pen.h"

// What a figure may show.

namespace attn {

// The matrices of a whole computation as boxes, joined by arrows as its data
// flows: a box a step; of several heads and sequences the first with its numbers,
// the others as small maps.
Drawing flow_drawing(const Document& document, const FormatOptions& options, const Theme& theme);

// One step as a heat map with its numbers, a card a head and sequence; attention
// weights with their arcs beside it. REQUIRES: all are of one step, and there is one.
Drawing map_drawing(const std::vector<ToldMatrix>& places, const FormatOptions& options, const Theme& theme);

// How one number came about, drawn out: of a dot product both rows of numbers one
// above the other, their products and the sum; else what went in, the arithmetic,
// what came out.
Drawing sum_drawing(const Branch& branch, const Theme& theme);

}  // namespace attn
