#pragma once

#include <optional>
#include <span>
#include <string>

#include "explain/document.h"
#include "explain/place.h"
#include "trace/trace.h"

namespace attn {

// How far the numbers of a step are from what exact arithmetic makes of the given ones:
// "good to 15 digits: at most 1.8e-15 from the exact numbers"; where the worst cell is much
// worse than the dtype, also which that is. Empty where nobody asked.
std::string exactness_words(const Trace& trace, const Step& step);

// The same of each of these steps that computes, and how far it is by itself. Nothing where
// nobody asked.
std::optional<Table> exactness(const Trace& trace, std::span<const Step* const> steps);

}  // namespace attn
