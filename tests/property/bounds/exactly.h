#pragma once

#include <map>
#include <string>
#include <vector>

#include "families.h"
#include "number.h"

namespace attn::bounds {

// Tensors by the ids of the lines that make them, row-major as the program has them.
using Numbers = std::map<std::string, std::vector<Exact>>;

// What a line makes of what it reads, in exact arithmetic: written down from the
// definitions, and independent of the program's own loops. Empty of a line that is
// given.
std::vector<Exact> made_exactly(const std::string& line, const Drawn& all, const Numbers& read);

// The first of the positions of waves, and their base; the cap of softcap, ε, and what is multiplied by and added.
inline constexpr std::size_t first_position = 3;
inline constexpr double wave_base = 10000, cap = 30, epsilon = 1e-5, factor = 0.3;

}  // namespace attn::bounds
