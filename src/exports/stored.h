#pragma once

#include <cstddef>
#include <string>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace attn {

// How many bytes a number of the dtype is stored in.
std::size_t stored_bytes(Dtype dtype);

// Appends the numbers as the dtype stores them, the lowest byte first, the last
// axis varying fastest. As in every trace there is one zero and one NaN.
void append_stored(const Tensor<double>& tensor, Dtype dtype, std::string& out);

}  // namespace attn
