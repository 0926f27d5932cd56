// What the backend uses (vectors/tiles-inl.h), on one thread: as before, but 256
// keys at a time, with a running maximum and sum for each row. So the scores
// never leave the cache, and memory does not grow with the sequence.

#include "backend/cpu/attend.h"
#include "backend/cpu/ladder/rung.h"

namespace attn {
namespace {

template <class T>
void attend(const FusedAttention<T>& call, Threads&) {
  Threads caller(1);
  attend_on(call, caller);
}

}  // namespace

Rung online_rung() {
  return {"online", "a block of keys at a time with a running maximum, so that scores stay in the cache", true,
          attend<float>, attend<double>};
}

}  // namespace attn
