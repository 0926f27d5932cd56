#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/provenance.h"
#include "trace/trace.h"

namespace attn {

// How one number came about: the sides of its equation after its own name,
// "= 1×4 + 0×4 + 2×0" and "= 4".
struct Working {
  std::vector<Expression> sides;
  Inline remark;         // why a cell is closed
  bool rounded = false;  // by hand: the result is not what the arithmetic comes to
  double computed = 0;   // what it comes to
};

// The arithmetic of one cell, by its place in the step's row-major result. A sum
// of more than `most_terms` is cut in the middle, and says so.
//
// The last relation is "=" where every number shown is all of itself, and "≈"
// where one is rounded, be it for the eye or by hand.
Working worked_cell(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                    const Numerals& numerals, std::size_t most_terms);

// "+", "−", "×", "/".
std::string_view sign(Binary function);

}  // namespace attn
