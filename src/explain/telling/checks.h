#pragma once

#include <optional>

#include "explain/document.h"
#include "explain/numerals.h"
#include "trace/trace.h"

namespace attn {

// What must hold in any attention, and whether it does in this one, worked out
// from the numbers of the trace: rows of weights sum to 1, closed cells are
// exactly 0, contexts lie within the values. Nothing where there are no weights.
std::optional<Table> checks(const Trace& trace, const Numerals& numerals);

}  // namespace attn
