#pragma once

#include <span>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

namespace attn {

// Tells these steps one after another, at that level, at the end of a document,
// and what is given where all are told. Returns the notes that nothing told has shown.
//
// A computed step by itself is told row by row. Consecutive steps that carry the
// axis "query" are told query by query, as a person works them out, and their
// matrices follow. Both follow from the axes of the steps and their ops: a
// step that nobody here has heard of is told as well as any other.
std::vector<const Note*> narrate(const Trace& trace, const ExplainOptions& options, Level level,
                                 std::span<const Step* const> steps, const Numerals& numerals, Document& document);

}  // namespace attn
