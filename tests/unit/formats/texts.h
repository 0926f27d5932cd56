#pragma once

#include <cstddef>
#include <string>

namespace attn {

inline std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

inline bool has(const std::string& text, const std::string& part) { return times_in(text, part) > 0; }

}  // namespace attn
