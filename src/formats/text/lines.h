#pragma once

#include <vector>

#include "formats/styled.h"

namespace attn {

// A derivation as lines of a terminal: what it is, then its equations, their
// sides aligned where they all fit, else broken between terms.
std::vector<StyledLine> laid_out(const Derivation& derivation, const Typesetter& typesetter, std::size_t width);

// A table, its last column wrapped.
std::vector<StyledLine> laid_out(const Table& table, const Typesetter& typesetter, std::size_t width);

}  // namespace attn
