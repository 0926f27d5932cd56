#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace attn {

// What the header of a .safetensors file says: a JSON object with an object
// for each tensor, and texts under "__metadata__".
struct SafetensorsHeader {
  struct Entry {
    std::string name;
    std::string dtype;  // "F32"
    std::vector<std::size_t> shape;
    std::size_t begin = 0, end = 0;  // bytes, counted from the end of the header
  };
  std::vector<Entry> entries;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

// Reads a header for `data_size` bytes of numbers, of which every one has to
// belong to one tensor. More than 50,000 tensors are refused.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::size_t data_size);

}  // namespace attn
