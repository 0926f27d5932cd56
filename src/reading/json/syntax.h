#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostic.h"

namespace attn {

// The first reason why a text is no JSON, in the words of somebody who wrote it
// by hand or printed it from Python. REQUIRES: it is none; `at` is where a
// parser gave up, and is named where this finds nothing wrong.
Diagnostic syntax_fault(std::string_view text, std::size_t at);

// Bytes that no JSON text has anywhere: a NUL, or what is not UTF-8.
std::optional<Diagnostic> encoding_fault(std::string_view text);

}  // namespace attn
