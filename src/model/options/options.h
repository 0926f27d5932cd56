#pragma once

#include <vector>

#include "problem/option.h"

namespace attn {

// Every option of a problem that is no mask: the rows that options/CMakeLists.txt names.
const std::vector<OptionSpec>& options();

}  // namespace attn
