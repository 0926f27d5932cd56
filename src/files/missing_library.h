#pragma once

#include <stdexcept>

namespace attn {

// A library that is loaded when it is first needed is not there, or not whole.
struct MissingLibrary : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace attn
