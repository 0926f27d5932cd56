#pragma once

#include <functional>
#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/figures.h"
#include "formats/svg/pen.h"

namespace attn {

// What a box leads to where it is pressed: "#m3"; "" for nothing.
using OutlineTarget = std::function<std::string(const OutlinePart& part)>;

// A computation as boxes, one a part, each with what it makes and how large that is,
// and an attention with small maps of its weights. They stand one below the other,
// an encoder's beside those of its decoder; what passes a box, as a residual does,
// goes around it on the right.
Drawing outline_drawing(const std::vector<OutlinePart>& parts, const Theme& theme, const OutlineTarget& target = {});

// The same in words, part by part.
std::string outline_words(const std::vector<OutlinePart>& parts);

}  // namespace attn
