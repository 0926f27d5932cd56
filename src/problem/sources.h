#pragma once

#include <optional>

#include "problem/embeddings.h"
#include "problem/side.h"

namespace attn {

// Where queries, keys and values come from. A side that is not there was
// faulty, or, for `value`, not given.
struct Sources {
  enum class Form { unknown, self_attention, cross_attention, direct };
  Form form = Form::unknown;
  std::optional<Side> query = {}, key = {}, value = {};  // self_attention has `query` alone
  bool value_given = false;
  bool from_tokens = false;
  std::optional<EmbeddingTable> embeddings = {};  // what tokens were looked up in

  const Side* query_side() const { return query ? &*query : nullptr; }
  const Side* key_side() const { return form == Form::self_attention ? query_side() : key ? &*key : nullptr; }
  const Side* value_side() const { return !value_given ? key_side() : value ? &*value : nullptr; }
};

// Finds out which of the ways in the file takes, and measures what stands
// there. Tokens beyond `max_tokens` are not looked up.
Sources sources_of(Statement& statement, Vectors vectors, Budget& budget, Faults& faults);

// Reports what keeps queries, keys and values apart before any projection:
// different batches, values that are not as many as the keys, nothing to attend
// with or to.
void check_sides(const Sources& sources, Vectors vectors, Faults& faults);

}  // namespace attn
