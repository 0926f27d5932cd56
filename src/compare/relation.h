#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/side_by_side.h"

namespace attn {

// How the numbers of a step that differ on two sides belong together.
struct Relation {
  enum class Kind { multiple, exchanged_heads, other_step };
  Kind kind = Kind::multiple;
  double factor = 1;                    // multiple: the second is so many times the first
  std::vector<std::size_t> heads = {};  // exchanged_heads: which of the first's each of the second's is, from 0
  std::string step = {};                // other_step: the one of the trace whose numbers the second has
};

// Nothing where they do not belong together in any of these ways. `trace` may be null.
std::optional<Relation> relation(const StepPair& different, const Trace* trace);

}  // namespace attn
