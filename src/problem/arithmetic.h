#pragma once

#include <optional>

#include "base/rounding.h"
#include "tensor/dtype.h"

namespace attn {

// In what numbers a problem is computed.
struct Arithmetic {
  Dtype dtype = Dtype::f64;
  std::optional<HandRounding> hand_rounding;

  bool operator==(const Arithmetic&) const = default;
};

// Whether every step rounds what it makes, so that a sum of numbers that were a step
// of their own is another than the sum made at once.
inline bool rounds_each_step(const Arithmetic& arithmetic) {
  return arithmetic.hand_rounding || rounds_once_a_step(arithmetic.dtype);
}

}  // namespace attn
