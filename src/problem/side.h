#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "problem/regular.h"
#include "problem/statement.h"

namespace attn {

// The vectors of queries, keys or values, or those they are made from, as the
// file gives them: sequence by sequence, which may differ in length.
struct Side {
  std::string where = {};
  bool batched = false;
  std::vector<std::size_t> rows = {};               // vectors of each sequence
  std::size_t width = 0;                            // numbers of each vector
  std::optional<std::size_t> heads = std::nullopt;  // set where there is one matrix a head
  std::string embeddings = {};                      // of tokens, where their vectors stand

  // What `take_values` gives: the numbers of each sequence as the file has
  // them, rows or columns. Of tokens that are cut off nothing is stored.
  std::vector<std::size_t> stored_rows = {};
  std::function<std::vector<double>()> take_values = {};

  // Of the longest sequence, once none is longer than `limit`.
  std::size_t longest(std::size_t limit = std::numeric_limits<std::size_t>::max()) const;
  std::size_t rows_within(std::size_t limit, std::size_t sequence) const;
  bool is_ragged_within(std::size_t limit) const;
};

// Queries, keys or values as they are: of one length, perhaps one matrix a head.
std::optional<Side> direct_side(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults);

// Inputs: a matrix, or a batch of them, of which sequences may differ in length.
std::optional<Side> measured_inputs(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults);

// The shape of the side's vectors as a tensor: [batch?, head?, row, feature], or with
// the last two exchanged for column vectors, with no more than `limit` rows.
Shape shape_of(const Side& side, Vectors vectors, const Axis& row, const Axis& feature,
               std::size_t limit = std::numeric_limits<std::size_t>::max());

// That tensor; sequences cut to `limit` and padded with zeros
// to one length. Nothing, and a fault, where padding takes too much memory.
// REQUIRES: !side.heads.
std::optional<Source> laid_out(Side side, std::size_t limit, Vectors vectors, const Axis& row, const Axis& feature,
                               Budget& budget, Faults& faults);

}  // namespace attn
