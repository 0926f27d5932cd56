#pragma once

#include <string_view>

namespace attn {

// Reads all tensors of a file in memory, by the reader of that ending, and parts of each.
void read_tensors(std::string_view ending, std::string_view bytes);

}  // namespace attn
