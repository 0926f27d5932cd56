// What the backend uses, on all its threads: each takes some rows of some head
// when it has nothing to do. No sum is split, so the bits are the same.

#include "backend/cpu/attend.h"
#include "backend/cpu/ladder/rung.h"

namespace attn {

Rung threaded_rung() {
  return {"threaded", "rows shared out among all threads", true, attend_on<float>, attend_on<double>};
}

}  // namespace attn
