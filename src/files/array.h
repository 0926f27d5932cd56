#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/input_file.h"
#include "tensor/part.h"

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

// How a run of stored numbers is to be taken.
struct ArrayLayout {
  Element element;
  bool foreign = false;        // the highest byte first
  bool first_fastest = false;  // Fortran order: the first axis varies fastest
  std::vector<std::size_t> shape;
};

// An array whose numbers a source holds from here to its end, `bytes` of them by its own account.
struct StoredArray {
  std::unique_ptr<ByteSource> source;
  std::size_t bytes = 0;
  ArrayLayout layout;
};

// A part of it. Refused where the layout needs more or fewer bytes than there are, where it has no
// such part, or where the part takes more than `max_bytes` as doubles.
Result<PartOutline> outline_within(const StoredArray& array, const TensorPart& part, std::size_t max_bytes);

// The numbers of that part, the last axis varying fastest. Of a file's bytes no more are read than
// the part needs, but in Fortran order, where all are. Where they are only promised, memory for a
// whole array grows as they come. REQUIRES: outline_within() gave the part.
Result<std::vector<double>> read_part(StoredArray& array, const PartOutline& part);

}  // namespace attn
