#pragma once

#include <optional>

#include "problem/projections.h"

namespace attn {

// What extra keys and values have to fit.
struct KeySetting {
  std::size_t key_width = 0, value_width = 0;  // of one head
  std::size_t sequences = 1;
  bool batched = false;
  Setting setting;
};

// Keys and values that stand before or after all others, as the file gives them.
struct ExtraSides {
  Side keys, values;
};

// Measures both; nothing, and a fault, where one is faulty in itself.
std::optional<ExtraSides> extra_sides(RawKeysAndValues raw, Vectors vectors, Budget& budget, Faults& faults);

// The same with the head axis apart where there is one; nothing, and a fault,
// where they do not fit. Without a batch axis they serve every sequence.
std::optional<KeysAndValues> extra_keys(ExtraSides sides, const KeySetting& setting, Faults& faults);

}  // namespace attn
