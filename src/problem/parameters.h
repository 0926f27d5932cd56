#pragma once

#include <optional>

#include "problem/regular.h"

namespace attn {

// The widths of one head's queries and keys, as far as they are known.
struct Widths {
  std::optional<std::size_t> query, key;
};

// The choice that a file makes, every tensor of it of the shape that the spec
// asks for.
Choice chosen(RawScore raw, const ChoiceSpec& spec, const Widths& widths, Vectors vectors, Budget& budget,
              Faults& faults);

}  // namespace attn
