#include "problem/lengths.h"

#include <algorithm>
#include <limits>
#include <utility>

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

std::int64_t at_most(std::size_t limit, std::int64_t length) {
  return std::cmp_less(limit, length) ? static_cast<std::int64_t>(limit) : length;
}

}  // namespace

std::optional<PerSequence> valid_lengths(const RawIntegers* lengths, const SequenceSetting& setting, Faults& faults) {
  const Side* const keys = setting.keys;
  if (!keys) return std::nullopt;
  Integers valid;
  if (lengths) {
    if (!check_count(*lengths, *keys, faults)) return std::nullopt;
    if (keys->batched && !lengths->is_list) {
      faults.add(
          "wrong-kind", lengths->where,
          shown(lengths->where) + " is one number, and there is a batch of " + counted(keys->rows.size(), "sequence"),
          "a list with one number for each sequence");
      return std::nullopt;
    }
    const std::size_t most = setting.past + keys->longest();
    for (std::size_t b = 0; b < lengths->values.size(); ++b) {
      const std::string where = lengths->where + (lengths->is_list ? "/" + std::to_string(b) : "");
      if (!check_length(lengths->values[b], where, most, faults)) continue;
      valid.push_back(at_most(setting.limit, lengths->values[b]));
    }
    if (valid.size() != lengths->values.size()) return std::nullopt;
  }
  if (keys->is_ragged_within(setting.limit)) {
    if (valid.empty()) valid.assign(keys->rows.size(), std::numeric_limits<std::int64_t>::max());
    for (std::size_t b = 0; b < valid.size(); ++b)
      valid[b] = at_most(setting.past + keys->rows_within(setting.limit, b), valid[b]);
  }
  return valid.empty() ? std::nullopt : std::optional(PerSequence{std::move(valid)});
}

std::optional<PerSequence> valid_offsets(const RawIntegers* offset, const SequenceSetting& setting, Faults& faults) {
  if (!setting.queries) return std::nullopt;
  if (!offset) {
    if (setting.past == 0) return std::nullopt;
    return PerSequence{{static_cast<std::int64_t>(setting.past)}};
  }
  if (!check_count(*offset, *setting.queries, faults)) return std::nullopt;
  const bool any = std::ranges::any_of(offset->values, [](std::int64_t one) { return one != 0; });
  return any ? std::optional(PerSequence{offset->values}) : std::nullopt;
}

}  // namespace attn
