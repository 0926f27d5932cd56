#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace attn {

// A fault with its place in a file's text.
struct PlacedFault {
  Diagnostic fault;
  std::size_t line = 0;  // from 1; 0 where no place in a file is meant
  std::size_t column = 0;
  std::string source = {};  // what is shown of the line, a file's or the command's
  std::string carets = {};  // and below it, where the place is
};

// What is wrong with a file; or, where that has no name, with anything else.
struct Complaint {
  std::string file;
  std::vector<PlacedFault> faults;  // in the order of the text
  std::size_t unkept = 0;           // how many more there are
};

}  // namespace attn
