#pragma once

#include <string>

namespace attn {

// A key that two problem files do not both have, or have with another value.
struct KeyDifference {
  std::string where;          // JSON Pointer
  std::string first, second;  // what stands there, in a few words; empty where nothing does
};

}  // namespace attn
