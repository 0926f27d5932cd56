#pragma once

#include <cstddef>

#include "backend/fused.h"

namespace attn {

// Works out one row of the context as the definition has it: score by score in
// the order of the keys, everything rounded to T, and nothing behind a closed
// cell is read. Slow, and without memory of its own; here so that the fast
// kernels need not care about infinities and NaN.
// Writes closed_rows, where there is one.
template <class T>
void plain_row(const FusedAttention<T>& call, std::size_t batch, std::size_t head, std::size_t query);

}  // namespace attn
