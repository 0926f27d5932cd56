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

}  // namespace attn
