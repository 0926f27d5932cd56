#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace attn {

// A text that was deflated when the program was built: src/packed.cmake.
struct Packed {
  std::span<const unsigned char> deflated;
  std::size_t size = 0;          // of the text, in bytes
  std::string_view sha256 = {};  // of the text, in hexadecimal digits

  std::string text() const;
};

}  // namespace attn
