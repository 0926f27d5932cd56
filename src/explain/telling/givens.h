#pragma once

#include "explain/document.h"
#include "explain/telling/matrices.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

namespace attn {

// Everything that the problem states: inputs and weights as matrices, and the
// rest in words: score, scale, mask, heads, arithmetic.
void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document);

}  // namespace attn
