#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace attn {

// A text that was deflated when the program was built: src/packed.cmake.
struct Packed {
  std::span<const unsigned char> deflated;
  std::size_t size = 0;                       // of the text, in bytes
  std::array<unsigned char, 32> sha256 = {};  // of the text

  std::string text() const;
};

}  // namespace attn
