#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/sink.h"
#include "tensor/dtype.h"

namespace attn {

// A natural number in so many bytes, the lowest first.
std::string in_bytes(std::uint64_t value, std::size_t bytes);

// Writes the numbers as the dtype stores them, the lowest byte first. As in
// every trace there is one zero and one NaN.
void write_stored(std::span<const double> numbers, Dtype dtype, Outgoing& out);

}  // namespace attn
