#pragma once

#include <cstddef>
#include <string>

#include "explain/document.h"
#include "explain/numerals.h"
#include "trace/trace.h"

namespace attn {

struct AncestryOptions {
  std::size_t depth = 0;       // levels below the number itself
  std::size_t most_lines = 0;  // of a terminal, about; where there would be more, it is given up
  std::size_t most_terms = 0;  // of a sum or a list, and numbers below one line; but the sum asked for is never cut
};

// A number, and below each line the numbers that went into it.
struct Ancestry {
  Tree tree;
  bool deeper = false;   // there is more below the last level
  bool cut = false;      // of some line or list a part is left out
  bool complete = true;  // false: it was given up at `most_lines`
};

// How the number at that place came about: its arithmetic, below it the numbers
// that went into it, and so on, as deep as the options say, or to what is given.
// Given numbers that are read together share a line. What was told once is
// pointed back to.
//
// REQUIRES: the trace has a step or given tensor of that id, and it that many numbers.
Ancestry ancestry(const Trace& trace, const std::string& id, std::size_t cell, const Numerals& numerals,
                  const AncestryOptions& options);

}  // namespace attn
