#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "compare/golden.h"

namespace attn {

// Reads a trace file (docs/trace-format.md), a golden among them: what of it is
// compared. Members and steps that are not known are passed over.
Result<StoredTrace> read_trace(std::string_view text);

// Whether a text says of itself that it is one, of whatever version.
bool is_stored_trace(std::string_view text);

// Reads it if it does.
std::optional<Result<StoredTrace>> read_if_trace(std::string_view text);

}  // namespace attn
