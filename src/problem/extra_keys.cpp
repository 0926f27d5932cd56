#include "problem/extra_keys.h"

#include <cassert>
#include <utility>
#include <vector>

namespace attn {
namespace {

bool check_heads(const Side& side, std::size_t width, const std::string& what, const KeySetting& setting,
                 Faults& faults) {
  const std::optional<std::size_t> heads = setting.setting.of_keys().heads;
  if (side.heads && side.heads != heads) {
    faults.add_of("heads", side.where,
                  "has " + counted(*side.heads, "matrix") + " a sequence, one a head, and " +
                      (heads ? "the keys have " + counted(*heads, "head") : "the keys have no heads"),
                  "a matrix for each head of keys, or one matrix");
    return false;
  }
  const std::size_t wanted = side.heads ? width : width * heads.value_or(1);
  if (side.width == wanted) return true;
  const std::string of_heads =
      heads && !side.heads ? " (" + counted(*heads, "head") + " of " + std::to_string(width) + ")" : "";
  faults.add_of("shape-mismatch", side.where,
                "has " + counted(side.width, setting.setting.vectors == Vectors::rows ? "column" : "row") +
                    ", and the " + what + " of the problem have " + std::to_string(wanted) + of_heads,
                "they are stored as the " + what + " are once they are projected");
  return false;
}

bool check_sequences(const Side& side, const KeySetting& setting, Faults& faults) {
  if (!side.batched) return true;
  if (setting.batched && side.rows.size() == setting.sequences) return true;
  faults.add_of("shape-mismatch", side.where,
                "is a batch of " + counted(side.rows.size(), "sequence") + ", and " +
                    (setting.batched ? "there are " + std::to_string(setting.sequences) : "the problem is no batch"),
                "one matrix serves every sequence");
  return false;
}

// The side's numbers with the heads apart: [batch?, head?, key, feature], the
// last two exchanged for column vectors.
Source by_head(Side side, const Axis& feature, const KeySetting& setting) {
  const std::optional<std::size_t> heads = setting.setting.of_keys().heads;
  const Vectors vectors = setting.setting.vectors;
  const std::size_t parts = heads && !side.heads ? *heads : 1;
  side.heads = heads;
  side.width /= parts;
  const Shape shape = shape_of(side, vectors, "key", feature);
  if (parts == 1 || vectors == Vectors::columns) return {shape, std::move(side.take_values)};
  // Heads that stand side by side in rows are apart in memory.
  return {shape, [side = std::move(side), parts] {
            const std::vector<double> values = side.take_values();
            const std::size_t keys = side.rows[0], width = side.width;
            std::vector<double> apart;
            apart.reserve(values.size());
            for (std::size_t b = 0; b < side.rows.size(); ++b) {
              for (std::size_t head = 0; head < parts; ++head) {
                for (std::size_t key = 0; key < keys; ++key) {
                  const double* const from = values.data() + ((b * keys + key) * parts + head) * width;
                  apart.insert(apart.end(), from, from + width);
                }
              }
            }
            return apart;
          }};
}

}  // namespace

std::optional<ExtraSides> extra_sides(RawKeysAndValues raw, Vectors vectors, Budget& budget, Faults& faults) {
  assert(raw.keys && raw.values);  // one that is missing or faulty makes both faulty
  auto keys = direct_side(std::move(*raw.keys), vectors, budget, faults);
  auto values = direct_side(std::move(*raw.values), vectors, budget, faults);
  if (!keys || !values) return std::nullopt;
  return ExtraSides{std::move(*keys), std::move(*values)};
}

std::optional<KeysAndValues> extra_keys(ExtraSides sides, const KeySetting& setting, Faults& faults) {
  const Vectors vectors = setting.setting.vectors;
  auto& [keys, values] = sides;
  bool fits = check_heads(keys, setting.key_width, "keys", setting, faults);
  fits = check_heads(values, setting.value_width, "values", setting, faults) && fits;
  fits = check_sequences(keys, setting, faults) && fits;
  fits = check_sequences(values, setting, faults) && fits;
  if (keys.rows[0] != values.rows[0]) {
    faults.add_of("shape-mismatch", values.where,
                  "has " + counted(values.rows[0], vectors == Vectors::rows ? "row" : "column") + ", and " +
                      shown(keys.where) + " has " + std::to_string(keys.rows[0]),
                  "every key has one value");
    fits = false;
  }
  if (!fits) return std::nullopt;
  return KeysAndValues{by_head(std::move(keys), "d_k", setting), by_head(std::move(values), "d_v", setting)};
}

}  // namespace attn
