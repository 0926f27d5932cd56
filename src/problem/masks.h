#pragma once

#include <optional>
#include <vector>

#include "problem/regular.h"

namespace attn {

// The rules of `mask`, each known to broadcast, aligned right, to the shape of
// the scores. Where that is not known only the values are checked.
std::vector<MaskTerm> mask_terms(std::vector<RawMask> masks, const std::optional<Shape>& scores, Budget& budget,
                                 Faults& faults);

}  // namespace attn
