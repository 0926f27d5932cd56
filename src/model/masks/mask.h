#pragma once

#include <functional>
#include <optional>
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

  // Where the rule can be told without a number a cell: the keys that a query
  // sees around its own position, or by the lengths of the sequences.
  std::optional<Window> sees = std::nullopt;
  bool by_length = false;
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

// The rules of every kind that the problem asks for, for all keys: appended ones
// are open, and nothing is added to them.
std::vector<MaskRule> mask_rules(const Problem& problem);

}  // namespace attn
