#pragma once

#include <cstdint>
#include <vector>

#include "backend/cpu/threads.h"
#include "tensor/dtype.h"

namespace attn {

// Operations a second that all threads together reach in multiplying and adding
// within registers: a dozen chains of fused multiply-adds, which is more than the
// latency of any processor leaves room for. Takes some milliseconds.
// REQUIRES: f32 or f64.
double arithmetic_peak(Threads& threads, Dtype dtype);

// Memory that is larger than any cache of this processor, to be read again and again.
class ReadBandwidth {
 public:
  ReadBandwidth();

  // Bytes a second that all threads together read, one pass over all of it.
  double measured(Threads& threads);

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace attn
