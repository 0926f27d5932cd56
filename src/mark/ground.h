#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "mark/follow.h"
#include "mistakes/mistake.h"

namespace attn {

// A known mistake made in a recipe, ready to be followed.
struct Candidate {
  const Mistake* mistake;
  Rewrite rewrite;
  std::vector<std::optional<std::size_t>> same;  // same_lines() as the right recipe
};

// A recipe with every mistake that can be made in it: what can be prepared once
// for all hand-ins.
struct Ground {
  explicit Ground(Recipe right);

  Recipe recipe;
  std::vector<std::optional<std::size_t>> same;  // each line as itself
  Followed<double> exact;                        // what nobody's numbers go into
  std::size_t cells = 1;                         // of all lines
  std::deque<Candidate> candidates;
};

}  // namespace attn
