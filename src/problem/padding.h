#pragma once

#include <limits>
#include <optional>

#include "problem/side.h"

namespace attn {

// The shape of the side's vectors as a tensor: [batch?, row, feature], or with
// the last two exchanged for column vectors, with no more than `limit` rows.
Shape shape_of(const Side& side, Vectors vectors, const Axis& row, const Axis& feature,
               std::size_t limit = std::numeric_limits<std::size_t>::max());

// That tensor; sequences cut to `limit` and padded with zeros
// to one length. Nothing, and a fault, where padding takes too much memory.
// REQUIRES: !side.heads.
std::optional<Source> laid_out(Side side, std::size_t limit, Vectors vectors, const Axis& row, const Axis& feature,
                               Budget& budget, Faults& faults);

}  // namespace attn
