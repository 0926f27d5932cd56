#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mistakes/rewriting.h"

// What mistakes with masks have in common: masks as they are, and others in their place.

namespace attn {

// A cell of a mask, and its place along the last two axes.
struct MaskCell {
  std::size_t at, query, key;
};

// The mask of the problem, and the rules that it is made of.
struct Masking {
  Tensor<double> open;             // queries and keys last
  std::vector<std::string> rules;  // ids of given tensors
  Operand scores;                  // what is masked
  std::optional<Operand> bias;     // what is added, where anything is
  std::size_t queries = open.shape().size("query");
  std::size_t keys = open.shape().size("key");

  MaskCell cell(std::size_t at) const { return {at, at / keys % queries, at % keys}; }

  // Where query i and key j of the same matrix stand.
  std::size_t beside(const MaskCell& cell, std::size_t i, std::size_t j) const {
    return cell.at - (cell.query * keys + cell.key) + i * keys + j;
  }

  bool closes_something() const {
    return std::ranges::any_of(open.data(), [](double cell) { return cell != 1; });
  }
};

// Nothing where the scores are not masked.
std::optional<Masking> masking(const RightAttention& right);

// One that closes something.
std::optional<Masking> closing(const RightAttention& right);

// The rule of that id in the shape of the mask.
Tensor<double> spread(const RightAttention& right, const Masking& mask, const std::string& id);

// Something else done with the scores, and with what is added, than closing cells.
// It is added as far as it is a number: who does not close a cell does not add −∞ to it.
std::vector<Instruction> masked_by(const RightAttention& right, const Masking& mask, const Op& op,
                                   std::optional<Operand> open = {});

// Whether a cell is open.
using CellRule = std::function<bool(const MaskCell&)>;

// Another mask in the place of the right one; none where it is the same. Rows that
// it leaves empty are 0, or the same everywhere.
Rewrites with_mask(const RightAttention& right, const Masking& mask, const std::string& variant,
                   const CellRule& is_open);

// One of its rules left out, or another in its place: what that leaves open.
Rewrites with_rule(const RightAttention& right, const Masking& mask, std::size_t rule, const std::string& variant,
                   const CellRule& allows);

}  // namespace attn
