#pragma once

#include <string>

#include "problem/statement.h"

namespace attn {

// Reads the tensors that a problem refers to, {"file": …, "tensor": …}, from
// files in its folder and never outside it. A file is opened once for all that
// is read of it.
TensorLoader tensors_in(const std::string& folder);

}  // namespace attn
