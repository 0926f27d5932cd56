#include "problem/sides.h"

namespace attn {
namespace {

std::string described(const Side& side) {
  const std::string batch = "a batch of " + counted(side.rows.size(), "sequence");
  if (side.heads) return batch + " with " + counted(*side.heads, "matrix") + " each, one a head";
  return side.batched ? batch : "one matrix";
}

void check_batch(const Side& side, const Side& first, Faults& faults) {
  const bool same_rank = side.batched == first.batched && side.heads.has_value() == first.heads.has_value();
  if (same_rank && side.rows.size() == first.rows.size()) return;
  faults.add("shape-mismatch", side.where,
             shown(side.where) + " is " + described(side) + ", and " + shown(first.where) + " is " + described(first),
             same_rank ? "every sequence of queries has its own keys and values" : "all of them need one rank");
}

void check_value_rows(const Side& value, const Side& key, bool direct, Vectors vectors, Faults& faults) {
  if (value.rows.size() != key.rows.size()) return;
  for (std::size_t b = 0; b < value.rows.size(); ++b) {
    if (value.rows[b] == key.rows[b]) continue;
    // Direct ones are of one length throughout.
    const std::string index = value.batched && !direct ? "/" + std::to_string(b) : "";
    faults.add("shape-mismatch", value.where + index,
               shown(value.where + index) + " has " +
                   counted(value.rows[b], vectors == Vectors::rows ? "row" : "column") + ", and " +
                   shown(key.where + index) + " has " + std::to_string(key.rows[b]),
               "every key has one value");
    return;
  }
}

void check_not_empty(const Side& side, Faults& faults) {
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    if (side.rows[b] != 0) continue;
    const std::string where = side.where + (side.batched ? "/" + std::to_string(b) : "");
    faults.add("empty", where, shown(where) + " has no tokens", "every sequence needs one query at least");
    return;
  }
}

}  // namespace

void check_sides(const Sources& sources, Vectors vectors, Faults& faults) {
  const Side* query = sources.query_side();
  const Side* key = sources.key_side();
  const Side* value = sources.value_side();
  const Side* first = query ? query : key;
  if (key && key != first) check_batch(*key, *first, faults);
  if (first && value && value != key) check_batch(*value, *first, faults);
  if (key && value && value != key)
    check_value_rows(*value, *key, sources.form == Sources::Form::direct, vectors, faults);
  if (query) check_not_empty(*query, faults);
  if (key && key != query && key->longest() == 0) {
    faults.add("empty", key->where, shown(key->where) + " has no key at all", "attention needs one key at least");
  }
}

}  // namespace attn
