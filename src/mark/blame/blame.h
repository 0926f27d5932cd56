#pragma once

#include <cstddef>

#include "mark/marking.h"

// Ways to find out what a person did at a step with wrong cells, the likeliest
// first. Each adds what it found to the report, tells the marking what the person
// is believed to have done, and returns whether it found anything.

namespace attn {

// A mistake of the catalogue that explains every cell of the step; of several
// those that explain most of what follows.
bool blame_mistake(Marking& marking, std::size_t step, Report& report);

// One slip, in the step or in one before it that was not handed in, from which
// every wrong cell follows.
bool blame_slip(Marking& marking, std::size_t step, Report& report);

// Several slips in one step, each in a cell of its own.
bool blame_slips_in_place(Marking& marking, std::size_t step, Report& report);

// A mistake made in some rows only: it explains every cell of each row that has
// a wrong one.
bool blame_rows(Marking& marking, std::size_t step, Report& report);

// Nothing known here: names the step, the cells, and what speaks against them.
void blame_unknown(Marking& marking, std::size_t step, Report& report);

// Whether one mistake, made by one manner of working, gives exactly everything
// that was handed in.
bool explains_whole_file(Marking& marking);

}  // namespace attn
