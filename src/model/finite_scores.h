#pragma once

#include "backend/fused.h"
#include "tensor/dtype.h"

namespace attn {

// Whether every open score is a finite number of the dtype before and after it is scaled
// and something within ±largest_added is added: true only where the largest
// numbers of queries and keys leave no doubt. What stands in vectors whose cells
// are all closed is of no account.
template <class T>
bool has_finite_scores(const FusedAttention<T>& call, double largest_added, Dtype dtype);

}  // namespace attn
