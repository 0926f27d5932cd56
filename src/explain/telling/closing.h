#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/provenance.h"
#include "trace/trace.h"

namespace attn {

// A rule of the mask, as the problem gives it: 1 where it leaves a cell open.
struct ClosingRule {
  std::string id;      // of the given tensor
  std::string name;    // "causal"
  std::string reason;  // "causal: a query sees no key after its own position"
  const Tensor<double>* open = nullptr;
  Shape shape;  // of `open`, under the axis names of the mask
};

// The rules that a mask is put together from: what its step reads of the given
// tensors, or the mask itself where it is given.
// REQUIRES: the trace outlives them, and has a step or given tensor of that id.
std::vector<ClosingRule> closing_rules(const Trace& trace, const std::string& mask);

// The masks that steps of the trace read, each once.
std::vector<std::string> masks_read(const Trace& trace);

// The names of the rules that close any of these cells of the mask, each once.
std::vector<std::string> rules_that_close(const Trace& trace, const std::string& mask,
                                          const std::vector<std::size_t>& cells);

// Which rules close these cells of the mask, in a word or two: "closed by causal".
std::string closed_by(const Trace& trace, const Slice& mask_cells);

}  // namespace attn
