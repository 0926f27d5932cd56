#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace attn {

// What one number of a file is stored as.
struct Element {
  enum class Kind { floating, brain, integer, natural, boolean };
  Kind kind = Kind::floating;
  std::size_t bytes = 8;

  bool operator==(const Element&) const = default;
};

// "f64", "bf16", "i8", "bool".
std::string name(Element element);

// Whether there is such a thing: no float of 1 byte, no boolean of 2.
bool is_readable(Element element);

// How many numbers a tensor of these sizes has; nothing if they, or their
// sizes without those that are 0, multiply to more than fits.
std::optional<std::size_t> count_of(const std::vector<std::size_t>& shape);

// Makes doubles of stored numbers. `foreign` ones have their highest byte
// first. What no double holds is a fault that names the element, `first` being
// the index of the first among all of its tensor.
//
// REQUIRES: is_readable(element); stored.size() == numbers.size() * element.bytes.
std::optional<Diagnostic> decode(Element element, bool foreign, std::span<const char> stored, std::size_t first,
                                 std::span<double> numbers);

}  // namespace attn
