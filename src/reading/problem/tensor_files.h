#pragma once

#include <string>

#include "problem/statement.h"

namespace attn {

// Reads the tensors that a problem refers to, {"file": …, "tensor": …}, from
// files in its folder, or in the folder `root` where one is named, and never
// outside these; a hard link is one in the folder that is named, and may be read. Paths are relative to the problem's
// folder, or else to the root. A file is opened once for all that is read of it.
TensorLoader tensors_in(const std::string& folder, const std::string& root = "");

}  // namespace attn
