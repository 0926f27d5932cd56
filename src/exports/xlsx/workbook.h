#pragma once

#include <optional>

#include "base/sink.h"
#include "exports/export.h"

namespace attn {

struct Trace;

// The trace as a workbook with a sheet for each part of the computation: every step is
// formulas, and nothing but what the problem gives is a constant. The same trace, the same
// bytes. Throws ExportError where it cannot be put together.
// REQUIRES: nothing is against it, and the library is there.
void write_workbook(const Trace& trace, Sink& sink);

// What of this trace a spreadsheet cannot compute as attn does, or cannot hold.
std::optional<Unwritable> against_workbook(const Trace& trace);

}  // namespace attn
