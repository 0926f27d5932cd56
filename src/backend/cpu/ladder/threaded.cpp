// What the backend uses, on all its threads: each takes some rows of some head
// when it has nothing to do. No sum is split, so the bits are the same.

#include "backend/cpu/attend.h"
#include "backend/cpu/ladder/rung.h"

namespace attn {

namespace {

template <class T>
void attend(const FusedAttention<T>& call, Threads& threads) {
  attend_on(call, threads);
}

}  // namespace

Rung threaded_rung() { return {"threaded", "rows shared out among all threads", true, attend<float>, attend<double>}; }

}  // namespace attn
