#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace attn {

// Holds faults to what is promised of them all: there are some, each says what to do, its place is in the text,
// and what a person is shown of them is printable and no longer than a screen or two.
void demand_faults(const Diagnostics& faults, std::string_view text);

// That a text has no control characters but line breaks, and is UTF-8.
void demand_printable(std::string_view shown);

}  // namespace attn
