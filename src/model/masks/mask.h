#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "problem/attention.h"
#include "tensor/dtype.h"
#include "trace/instruction.h"

namespace attn {

// How far a query sees: from `left` keys before its own position to `right`
// behind it; −1 is no limit (Beltagy et al. 2020).
struct Window {
  std::int64_t left = -1, right = -1;
};

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

  // What the numbers follow from, where the problem does not state them one by one.
  std::optional<GivenRule> follows = std::nullopt;
};

// A kind of mask.
struct Mask {
  OptionSpec spec = {};  // the key of a problem file that asks for it, and what may stand there

  // The rules that such a value asks for. Numbers that are compared with −∞ are
  // compared as the dtype holds them.
  std::function<std::vector<MaskRule>(const OptionValue& value, const Attention& attention, Dtype dtype)> rules = {};
};

// Every kind, in the order in which their rules are listed: the rows that
// masks/CMakeLists.txt names.
const std::vector<Mask>& masks();

// The rules of every kind that the problem asks for, for all keys: appended ones
// are open, and nothing is added to them.
std::vector<MaskRule> mask_rules(const Attention& attention, Dtype dtype);

}  // namespace attn
