#pragma once

#include <variant>

#include "ops/one_of.h"
#include "ops/op.h"

namespace attn {

// Whether the numbers are there already and only stand differently now.
inline bool regroups(const Op& op) {
  return std::visit(Overloaded{
                        []<OneOf<Given, Copy, Split, Merge, Join, Repeat, Pick> Moved>(const Moved&) { return true; },
                        []<OneOf<Waves, Rotate, Contract, Map, Reduce, Gate, Normalize, Close, Softmax, Online> Made>(
                            const Made&) { return false; },
                        // The smallest of 0 and 1: how a mask is put together.
                        [](const Combine& cells) { return cells.function == Binary::minimum; },
                    },
                    op);
}

}  // namespace attn
