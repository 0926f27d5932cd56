#pragma once

#include <string>
#include <utility>
#include <vector>

#include "explain/document.h"
#include "trace/trace.h"

namespace attn {

// Axes that stand still while something is told, with their index from 0:
// this sequence, this head, this query.
using Place = std::vector<std::pair<Axis, std::size_t>>;

// "₁₂" for 12.
std::string subscript(std::size_t number);

// Writes the parts of tensors as formulas do: k₁ is row 1 of K, S[1,2] a cell
// of S. The sequence and the head are not written: the text around says which.
class Symbols {
 public:
  explicit Symbols(const Trace& trace);

  // The part of a tensor that is left where those of its axes that `place`
  // names stand still: K, k₁, K[1,2].
  Span part(const Heading& heading, const Shape& shape, const Place& place) const;

  // The formula of a step for one query, say: "s₁ = q₁·Kᵀ". As it stands where
  // no symbol of it changes.
  Inline formula(const Step& step, const Place& place) const;

 private:
  Formula row(const Formula& symbol, std::size_t index) const;

  const Trace& trace_;
  std::vector<Formula> taken_;  // every symbol of the trace
};

}  // namespace attn
