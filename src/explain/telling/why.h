#pragma once

#include <cstddef>
#include <optional>

#include "explain/document.h"
#include "explain/telling/asked.h"
#include "trace/trace.h"

namespace attn {

struct WhyOptions {
  std::optional<std::size_t> depth =
      {};                             // levels below the number; by default to the inputs, where that is not too long
  std::optional<int> precision = {};  // decimals; by default 4, fewer where a number needs fewer
  bool full = false;                  // nothing left out
  std::optional<std::size_t> top =
      {};  // of each longer sum its largest terms, so many; by default 16, where it is long
};

// How one number came about, back to the inputs; where no number is asked for,
// every number of the step.
// REQUIRES: find_asked() found it in this trace.
Document why(const Trace& trace, const Asked& asked, const WhyOptions& options = {});

// The same, or nothing where the document would take more bytes than that, about.
std::optional<Document> why_within(std::size_t most_bytes, const Trace& trace, const Asked& asked,
                                   const WhyOptions& options = {});

// Whether it has terms, of which some may count more than others: what is given has none.
bool has_terms(const Trace& trace, const Asked& asked);

// Whether what was asked for is a whole step that is not too long to be told
// without leaving anything out.
bool is_told_whole(const Trace& trace, const Asked& asked);

}  // namespace attn
