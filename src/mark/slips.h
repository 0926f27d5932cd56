#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "mark/follow.h"

namespace attn {

// A slip of the pen in one place of a computation, and what it puts there.
struct Slip {
  std::string mistake;  // "slip.sign"
  std::string variant;  // "one term", "the whole number"
  std::vector<Patch> patches;
  std::string evidence;  // the term, the digits: from the person's own numbers
};

// The line in which slips are looked for.
struct SlipPlace {
  const Recipe& recipe;
  std::size_t line;
  const Evaluation<double>& made;  // the numbers that it read, and what it should have made of them
  HandRounding rounding;           // how the person writes numbers
  std::size_t least_cells = 1;     // slips that change fewer are of no use

  // Whether a slip in this cell alone is of use; null: in every one. Of slips in
  // several cells of a large matrix one has to be of use.
  std::function<bool(std::size_t cell)> is_of_use = nullptr;
};

// Calls visit with every slip that the catalogue knows that a person can have
// made in a line, the most common first, until it returns true; so returns true
// where one was found.
bool any_slip(const SlipPlace& place, const std::function<bool(const Slip&)>& visit);

}  // namespace attn
