#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/arithmetic.h"
#include "problem/attention.h"
#include "problem/block.h"
#include "problem/note.h"

namespace attn {

// The vectors of a problem, where they are given as inputs: `self` in
// self-attention; in cross-attention `query` and `key`, and `value` where it is
// given.
//
//   self                [batch?, token, d_model]
//   query, key, value   [batch?, query or key, d_model]
//
// With Vectors::columns the last two stand exchanged, as given.
struct Inputs {
  std::optional<Source> self, query, key, value;

  bool cross() const { return query.has_value(); }
};

// What is to be computed: a validated problem.
struct Problem {
  std::string title;
  std::vector<std::string> remarks;  // what its author notes for people, a line each

  Arithmetic arithmetic;
  Inputs inputs;
  std::vector<Attention> sublayers{1};    // in the order in which they are computed; one without a block
  std::optional<TransformerBlock> block;  // what stands around them
  std::optional<Choice> added_positions;  // of a block: those that are added to its inputs

  // How many keys softmax takes at a time, as whoever computes it asks; the file does
  // not say. Nothing where it takes all.
  std::optional<std::size_t> keys_a_block;

  std::optional<int> digits;
  std::vector<Note> notes;  // truncated, padding, misread

  Arithmetic stated_arithmetic;  // that the file says; others may change the one above
  bool draws_many = false;       // whether many of its numbers are drawn at random, once they are wanted

  // The only sublayer, or the first of a block. REQUIRES: there is one.
  const Attention& attention() const { return sublayers.front(); }
  Attention& attention() { return sublayers.front(); }

  // Takes the rounding by hand away: people round in ways of their own, and are marked
  // against exact numbers. Returns it; nothing where there was none.
  std::optional<HandRounding> take_hand_rounding() { return std::exchange(arithmetic.hand_rounding, std::nullopt); }
};

}  // namespace attn
