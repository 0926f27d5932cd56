#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace attn {

// What may be written for one number by somebody who works it out by hand, from the
// first step on, rounds to so many decimals on the way, or does not, and writes as many:
// the number of the trace so rounded, and so many units of the last decimal to either side.
struct Leeway {
  double value = 0;
  std::size_t below = 0, above = 0;
  bool is_exact = false;  // nothing is rounded, neither on the way nor here
  bool is_asked = true;  // false for padded queries, where nothing finite is to be written, and where anything could be
};

// Of which cells of which steps, by the step's id.
using AskedCells = std::map<std::string, std::vector<std::size_t>>;

// That of each, by its cell.
//
// Worked out as check marks a hand-in in which nothing but the number stands: what comes
// before it is enclosed, each number of it rounded in any of the ways that people round
// in, or left as it is; then every number of so many decimals is accepted that stands for
// one of those.
// REQUIRES: the trace has the steps, and they have the cells.
std::map<std::string, std::map<std::size_t, Leeway>> leeways(const Trace& trace, const AskedCells& asked, int decimals);

// About the most bytes that takes, however few of the steps' cells are asked for: all that comes before is enclosed.
std::size_t bytes_for_leeways(const Trace& trace, const std::vector<std::string>& steps);

}  // namespace attn
