#pragma once

#include "backend/cpu/threads.h"
#include "backend/fused.h"

namespace attn {

// Computes a call on these threads. Memory beyond inputs and outputs: for each
// thread the queries and contexts of its rows, some hundreds, and one block of
// 256 keys and values. Kept for the next call.
template <class T>
void attend_on(const FusedAttention<T>& call, Threads& threads);

}  // namespace attn
