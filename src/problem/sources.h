#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
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

  // The numbers of each sequence as the file has them, rows or columns. Of
  // tokens that are cut off nothing is stored.
  std::vector<std::size_t> stored_rows = {};
  std::vector<double> values = {};

  // What `values` would be drawn from; they are empty then.
  std::optional<RandomTensor> undrawn = std::nullopt;

  std::size_t longest() const;

  // The same once no sequence is longer than `limit`.
  std::size_t rows_within(std::size_t limit, std::size_t sequence) const;
  bool is_ragged_within(std::size_t limit) const;
};

// Where queries, keys and values come from. A side that is not there was
// faulty, or, for `value`, not given.
struct Sources {
  enum class Form { unknown, self_attention, cross_attention, direct };
  Form form = Form::unknown;
  std::optional<Side> query, key, value;  // self_attention has `query` alone
  bool value_given = false;
  bool from_tokens = false;

  const Side* query_side() const { return query ? &*query : nullptr; }
  const Side* key_side() const { return form == Form::self_attention ? query_side() : key ? &*key : nullptr; }
  const Side* value_side() const { return !value_given ? key_side() : value ? &*value : nullptr; }
};

// Queries, keys or values as they are: of one length, perhaps one matrix a head,
// and all drawn.
std::optional<Side> direct_side(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults);

// Finds out which of the ways in the file takes, and measures what stands
// there. Tokens beyond `max_tokens` are not looked up; many random numbers are
// not drawn yet.
Sources sources_of(Statement& statement, Vectors vectors, Budget& budget, Faults& faults);

}  // namespace attn
