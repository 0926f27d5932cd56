#pragma once

#include <vector>

#include "formats/styled.h"

namespace attn {

// A tree as lines of a terminal: each line hangs from the one that it belongs to.
std::vector<StyledLine> laid_out(const Tree& tree, const Typesetter& typesetter, std::size_t width);

}  // namespace attn
