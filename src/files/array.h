#pragma once

#include <cstddef>
#include <memory>
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

// An array whose numbers a source holds from here to its end, `bytes` of them by its own account.
struct StoredArray {
  std::unique_ptr<ByteSource> source;
  std::size_t bytes = 0;
  ArrayLayout layout;
};

// How many numbers it has. Refused where the layout needs more or fewer bytes
// than there are, or they take more than `max_bytes` as doubles.
Result<std::size_t> count_within(const StoredArray& array, std::size_t max_bytes);

// Its numbers, the last axis varying fastest; refused before memory is taken as
// above. Where the bytes are only promised, memory grows as they come.
Result<std::vector<double>> read_array(StoredArray& array, std::size_t max_bytes);

}  // namespace attn
