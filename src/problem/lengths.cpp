#include "problem/lengths.h"

#include <algorithm>

namespace attn {
namespace {

std::string there_are(std::size_t count, std::string_view thing) {
  return (count == 1 ? "there is " : "there are ") + counted(count, thing);
}

// Whether there is one integer for each sequence.
bool check_count(const RawIntegers& integers, const Side& side, Faults& faults) {
  if (integers.is_list && !side.batched) {
    faults.add("wrong-kind", integers.where, shown(integers.where) + " is a list, and there is no batch",
               "one number, without [ ]");
    return false;
  }
  if (!integers.is_list || integers.values.size() == side.rows.size()) return true;
  faults.add("shape-mismatch", integers.where,
             shown(integers.where) + " has " + counted(integers.values.size(), "number") + ", and " +
                 there_are(side.rows.size(), "sequence"),
             "one number for each sequence");
  return false;
}

bool check_length(std::int64_t length, const std::string& where, std::size_t keys, Faults& faults) {
  if (length < 0) {
    faults.add("out-of-range", where, shown(where) + " is " + std::to_string(length) + "; a length is 0 or more");
  } else if (static_cast<std::size_t>(length) > keys) {
    faults.add("out-of-range", where,
               shown(where) + " is " + std::to_string(length) + ", and " + there_are(keys, "key"),
               "a length counts the keys that are no padding");
  } else {
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::size_t>> valid_lengths(const Stated<RawIntegers>& lengths, const Side& keys,
                                                      std::size_t past, std::size_t limit, Faults& faults) {
  std::vector<std::size_t> valid;
  if (lengths) {
    if (!check_count(*lengths, keys, faults)) return std::nullopt;
    if (keys.batched && !lengths->is_list) {
      faults.add(
          "wrong-kind", lengths->where,
          shown(lengths->where) + " is one number, and there is a batch of " + counted(keys.rows.size(), "sequence"),
          "a list with one number for each sequence");
      return std::nullopt;
    }
    for (std::size_t b = 0; b < lengths->values.size(); ++b) {
      const std::string where = lengths->where + (lengths->is_list ? "/" + std::to_string(b) : "");
      if (!check_length(lengths->values[b], where, past + keys.longest(), faults)) continue;
      valid.push_back(std::min(static_cast<std::size_t>(lengths->values[b]), limit));
    }
    if (valid.size() != lengths->values.size()) return std::nullopt;
  }
  if (keys.is_ragged_within(limit)) {
    if (valid.empty()) valid.assign(keys.rows.size(), limit);
    for (std::size_t b = 0; b < valid.size(); ++b) valid[b] = std::min(valid[b], past + keys.rows_within(limit, b));
  }
  return valid.empty() ? std::nullopt : std::optional(std::move(valid));
}

std::vector<std::int64_t> valid_offsets(const Stated<RawIntegers>& offset, const Side& queries, std::size_t past,
                                        Faults& faults) {
  if (!offset.is_given() && past > 0) return {static_cast<std::int64_t>(past)};
  if (!offset || !check_count(*offset, queries, faults)) return {};
  const bool any = std::ranges::any_of(offset->values, [](std::int64_t one) { return one != 0; });
  return any ? offset->values : std::vector<std::int64_t>{};
}

}  // namespace attn
