#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/rounding.h"

namespace attn {

// What a script of numpy begins with: its imports, and the functions of these names, which it
// calls: "divided", "finite", "erf", "rounded", "rounded_rows".
std::string numpy_head(const std::set<std::string>& helpers, const std::optional<HandRounding>& rounding);

}  // namespace attn
