#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/computation.h"
#include "problem/problem.h"
#include "trace/recipe.h"

// Which part of a computation options pick, as typed. A Refusal says where there is no such.

namespace attn {

// "--query 4" against how many there are of `what` in what is told; nothing where nothing is typed.
std::optional<std::size_t> picked_index(const std::string& option, const std::string& typed, std::size_t count,
                                        const std::string& what);

// The parts of a block that --part or --layer names, by their place in the recipe.
std::vector<std::size_t> picked_parts(const std::string& part, const std::string& layer, const Recipe& recipe);

// The ids of steps typed as ids, symbols or patterns; they are computed then, however large.
std::vector<std::string> picked_steps(const std::vector<std::string>& asked, Computation& computation);

// How many queries, or heads, the step has that has the most, of those of these parts, or of these steps; of all where
// none is named. 0 where no such step has any; without an axis of heads anywhere there is one.
std::size_t queries_told(const Recipe& recipe, const std::vector<std::size_t>& parts,
                         const std::vector<std::string>& only = {});
std::size_t heads_told(const Recipe& recipe, const std::vector<std::size_t>& parts,
                       const std::vector<std::string>& only = {});

}  // namespace attn
