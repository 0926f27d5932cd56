#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace attn {

// What is known to a person but is no number of the computation. Indices count from 0.
struct Note {
  std::string step;
  std::vector<std::size_t> index;
  std::string kind;  // truncated, padding, misread, closed_row, overflow, left_out, …
  std::string message;
};

}  // namespace attn
