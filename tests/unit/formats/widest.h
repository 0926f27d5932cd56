#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace attn {

// The line that takes most columns. A check of it is one of all, and much cheaper.
inline const std::string& widest_of(const std::vector<std::string>& lines) {
  return *std::ranges::max_element(lines, {}, [](const std::string& line) { return display_width(line); });
}

}  // namespace attn
