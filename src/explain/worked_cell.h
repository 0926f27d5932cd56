#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/provenance.h"
#include "trace/trace.h"

namespace attn {

// How many terms of a long sum are written, and which.
struct TermLimit {
  enum class Kept {
    ends,     // the first and the last: "1×2 + … 48 more … + 3×4"
    largest,  // in magnitude, the largest first, and what the others come to: "9×8 + 6×9 + (48 more: 12.5)"
  };

  TermLimit(std::size_t terms, Kept which = Kept::ends)
      : most(terms), kept(which) {}  // NOLINT(google-explicit-constructor)

  std::size_t most;
  Kept kept;
};

// The places of so many of these sizes, the largest first, and of equal ones in their order;
// what is no number counts as infinite.
std::vector<std::size_t> places_of_largest(std::span<const double> sizes, std::size_t most);

// How one number came about: the sides of its equation after its own name,
// "= 1×4 + 0×4 + 2×0" and "= 4".
struct Working {
  std::vector<Expression> sides;
  Inline remark;         // why a cell is closed
  bool rounded = false;  // by hand: the result is not what the arithmetic comes to
  double computed = 0;   // what it comes to

  // Where only the largest terms of a row are written: which of those that count, as
  // they are written, how many there are, and where along the row each of them stands;
  // none where all are.
  std::vector<std::size_t> written = {};
  std::size_t of = 0;
  std::vector<std::size_t> places = {};
};

// The arithmetic of one cell, by its place in the step's row-major result. A sum
// of more terms than the limit is cut, and says so.
//
// The last relation is "=" where every number shown is all of itself, and "≈"
// where one is rounded, be it for the eye or by hand.
Working worked_cell(const Trace& trace, const Step& step, const Reading& reading, std::size_t cell,
                    const Numerals& numerals, TermLimit limit);

// "+", "−", "×", "/".
std::string_view sign(Binary function);

}  // namespace attn
