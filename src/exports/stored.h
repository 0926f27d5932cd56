#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/sink.h"
#include "tensor/dtype.h"

namespace attn {

// How many bytes a number of the dtype is stored in.
std::size_t stored_bytes(Dtype dtype);

// Appends the numbers as the dtype stores them, the lowest byte first. As in
// every trace there is one zero and one NaN.
void append_stored(std::span<const double> numbers, Dtype dtype, std::string& out);

// The same on its way to a sink.
void write_stored(std::span<const double> numbers, Dtype dtype, Outgoing& out);

}  // namespace attn
