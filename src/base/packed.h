#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace attn {

// A text that was deflated when the program was built: src/packed.cmake.
struct Packed {
  std::span<const unsigned char> deflated;
  std::size_t size = 0;  // of the text, in bytes

  std::string text() const;
};

}  // namespace attn
