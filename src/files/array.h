#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "files/element.h"
#include "files/input_file.h"

namespace attn {

// How a run of stored numbers is to be taken.
struct ArrayLayout {
  Element element;
  bool foreign = false;        // the highest byte first
  bool first_fastest = false;  // Fortran order: the first axis varies fastest
  std::vector<std::size_t> shape;
};

// The numbers that a source holds from here to its end, `stored` bytes by its
// own account, the last axis varying fastest. Refused before memory is taken
// where the layout needs more or fewer bytes, or they take more than
// `max_bytes` as doubles. Where the bytes are only promised, memory grows as
// they come.
Result<std::vector<double>> read_array(ByteSource& source, std::size_t stored, const ArrayLayout& layout,
                                       std::size_t max_bytes);

}  // namespace attn
