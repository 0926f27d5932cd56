#pragma once

#include <string>

#include "trace/trace.h"

namespace attn {

// The trace as docs/trace-format.md says: also what golden files hold. A row of
// numbers a line, so that a changed number is a changed line.
std::string trace_json(const Trace& trace);

}  // namespace attn
