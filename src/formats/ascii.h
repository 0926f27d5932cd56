#pragma once

#include <string>
#include <string_view>

namespace attn {

// The text in ASCII alone: "k₁ = x₁·W_K" is "k_1 = x_1.W_K", "√3" is "sqrt(3)",
// lines of boxes are -, | and +. What has no such spelling is escaped: "\u{e9}".
std::string asciified(std::string_view text);

}  // namespace attn
