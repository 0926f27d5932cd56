#pragma once

#include <string>
#include <vector>

#include "ops/op.h"
#include "problem/block.h"

namespace attn {

// What stands between the two products of a feed-forward network.
struct Activation {
  ActivationSpec spec = {};
  Unary function = Unary::relu;
  std::string formula = {};  // "{} = max({0}, 0)"; of gated ones {0} is the gate, {1} what it lets through
};

// Every one, in the order in which people are shown them: the rows that
// activations/CMakeLists.txt names.
const std::vector<Activation>& activations();

}  // namespace attn
