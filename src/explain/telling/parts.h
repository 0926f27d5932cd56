#pragma once

#include <optional>
#include <span>
#include <vector>

#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

// The parts of what explain() tells.

namespace attn {

// Everything that the problem states: inputs and weights as matrices, and the
// rest in words: score, scale, mask, heads, arithmetic.
void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document);

// Tells these steps one after another, at that level, at the end of a document,
// and what is given where all are told. Returns the notes that nothing told has shown.
//
// A computed step by itself is told row by row. Consecutive steps that carry the
// axis "query" are told query by query, as a person works them out, and their
// matrices follow. Both follow from the axes of the steps and their ops: a
// step that nobody here has heard of is told as well as any other.
std::vector<const Note*> narrate(const Trace& trace, const ExplainOptions& options, Level level,
                                 std::span<const Step* const> steps, const Numerals& numerals, Document& document);

// What must hold in any attention, and whether it does in this one, worked out
// from the numbers of the trace: rows of weights sum to 1, closed cells are
// exactly 0, contexts lie within the values. Nothing where there are no weights.
std::optional<Table> checks(const Trace& trace, const Numerals& numerals);

}  // namespace attn
