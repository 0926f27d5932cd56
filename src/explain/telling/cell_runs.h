#pragma once

#include <string>
#include <vector>

#include "explain/provenance.h"

namespace attn {

// The cells in runs of neighbours along one axis.
std::vector<Slice> cell_runs(const Shape& shape, const CellList& list);

// "scores[1,2]", or where there are several cells "inputs[1,1…4]".
std::string cell_name(const Trace& trace, const Slice& cells);

}  // namespace attn
