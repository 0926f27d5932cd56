// Which instruction sets the kernels are compiled for. To be included before
// anything else of Highway: the file that includes it is compiled once for each,
// so those that would bring little are left out. The scalable vectors of SVE and
// RISC-V are, too: tiles of registers need vectors whose size is known.
#pragma once

// A compiler that may use all of this machine's instructions may have a better
// target than those here, which Highway 1.0 takes only where it is wished for.
#define HWY_WANT_AVX3_DL
#include <hwy/detect_targets.h>

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                                \
  (~(HWY_BASELINE_TARGETS | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | HWY_RVV)
