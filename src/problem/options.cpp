#include "problem/options.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace attn {
namespace {

template <class T>
std::optional<OptionValue> as_value(std::optional<T> value) {
  return value ? std::optional<OptionValue>(std::move(*value)) : std::nullopt;
}

std::string there_are(std::size_t count, std::string_view thing) {
  return (count == 1 ? "there is " : "there are ") + counted(count, thing);
}

// Whether there is one integer for each sequence.
bool check_count(const RawIntegers& integers, const Side& side, Faults& faults) {
  if (integers.is_list && !side.batched) {
    faults.add_of("wrong-kind", integers.where, "is a list, and there is no batch", "one number, without [ ]");
    return false;
  }
  if (!integers.is_list || integers.values.size() == side.rows.size()) return true;
  faults.add_of("shape-mismatch", integers.where,
                "has " + counted(integers.values.size(), "number") + ", and " + there_are(side.rows.size(), "sequence"),
                "one number for each sequence");
  return false;
}

bool check_length(std::int64_t length, const std::string& where, std::size_t keys, Faults& faults) {
  if (length < 0) {
    faults.add_of("out-of-range", where, "is " + std::to_string(length) + "; a length is 0 or more",
                  "a length counts the keys that are no padding");
  } else if (static_cast<std::size_t>(length) > keys) {
    faults.add_of("out-of-range", where, "is " + std::to_string(length) + ", and " + there_are(keys, "key"),
                  "a length counts the keys that are no padding");
  } else {
    return true;
  }
  return false;
}

std::int64_t at_most(std::size_t limit, std::int64_t length) {
  return std::cmp_less(limit, length) ? static_cast<std::int64_t>(limit) : length;
}

// Each of a long list is a rule of its own, with a name, a formula and a place among the steps.
bool has_room(const std::vector<RawMask>& masks, const std::string& where, Budget& budget, Faults& faults) {
  constexpr std::size_t bytes_of_mask = 16 * 1024;
  if (budget.take(masks.size(), bytes_of_mask)) return true;
  faults.add_of("too-large", where,
                "is " + counted(masks.size(), "mask") + ", whose rules do not fit into " + spelled_size(budget.limit()),
                "fewer masks, or a larger --max-memory");
  return false;
}

}  // namespace

std::map<std::string, OptionValue, std::less<>> fitted_options(
    std::map<std::string, Stated<RawOption>, std::less<>>& given, const std::vector<OptionSpec>& specs,
    const std::optional<SequenceSetting>& sequences, const std::optional<Shape>& scores, Budget& budget,
    Faults& faults) {
  using Kind = OptionSpec::Kind;
  std::map<std::string, OptionValue, std::less<>> fitted;
  // Masks come last: they are compared with all else.
  std::vector<const OptionSpec*> ordered;
  for (const OptionSpec& spec : specs) ordered.push_back(&spec);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const OptionSpec* spec) { return spec->kind != Kind::masks; });
  for (const OptionSpec* one : ordered) {
    const OptionSpec& spec = *one;
    const auto stated = given.find(spec.name);
    if (stated != given.end() && stated->second.is_faulty()) continue;
    RawOption* const raw = stated == given.end() ? nullptr : &*stated->second;
    std::optional<OptionValue> value;
    if (spec.kind == Kind::per_sequence) {
      if (sequences)
        value = as_value(spec.fitted(raw ? &std::get<RawIntegers>(raw->value) : nullptr, *sequences, faults));
    } else if (raw && spec.kind == Kind::masks) {
      auto& masks = std::get<std::vector<RawMask>>(raw->value);
      if (!has_room(masks, raw->where, budget, faults)) continue;
      auto terms = mask_terms(std::move(masks), scores, budget, faults);
      if (!terms.empty()) value = std::move(terms);
    } else if (raw && spec.kind == Kind::integers) {
      value = std::get<RawIntegers>(raw->value).values;
    } else if (raw && spec.kind == Kind::number) {
      value = std::get<double>(raw->value);
    } else if (raw && std::get<bool>(raw->value)) {
      value = true;
    }
    if (value) fitted.emplace(spec.name, std::move(*value));
  }
  return fitted;
}

std::optional<PerSequence> valid_lengths(const RawIntegers* lengths, const SequenceSetting& setting, Faults& faults) {
  const Side* const keys = setting.keys;
  if (!keys) return std::nullopt;
  Integers valid;
  if (lengths) {
    if (!check_count(*lengths, *keys, faults)) return std::nullopt;
    if (keys->batched && !lengths->is_list) {
      return faults.add_of("wrong-kind", lengths->where,
                           "is one number, and there is a batch of " + counted(keys->rows.size(), "sequence"),
                           "a list with one number for each sequence");
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
