#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "trace/trace.h"

namespace attn {

// One rule that closes cells of the scores, or adds to them. Its axes are those
// along which it varies; it is the same along all others.
struct MaskRule {
  enum class Effect { closes, adds };

  Heading heading = {};  // the id names the rule ("mask.causal"), the title says in words why a cell is closed
  Effect effect = Effect::closes;
  Shape shape = {};
  std::function<Tensor<double>()> make = {};  // closes: 1 open, 0 closed; adds: what is added
};

// A kind of mask: the rules of it that a problem asks for.
struct Mask {
  std::string name = {};     // the key of a problem file that asks for it
  std::string summary = {};  // one line, for people
  std::function<std::vector<MaskRule>(const Problem&)> rules;
};

// Every kind, in the order in which their rules are listed: the rows that
// masks/CMakeLists.txt names.
const std::vector<Mask>& masks();

}  // namespace attn
