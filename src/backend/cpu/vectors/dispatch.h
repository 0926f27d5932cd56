#pragma once

#include "backend/cpu/vectors/targets.h"
//
#include <hwy/highway.h>

#include "backend/cpu/instructions.h"

namespace attn {

// The one of these versions that is for the instruction set in use: the best
// that there is for it and was compiled.
template <class Function>
Function version_in_use(Function avx512, Function avx2, Function sse4, Function neon, Function baseline) {
  switch (instruction_target()) {
    case HWY_AVX3:
      return avx512;
    case HWY_AVX2:
      return avx2;
    case HWY_SSE4:
      return sse4;
    case HWY_NEON:
      return neon;
    default:
      return baseline;
  }
}

}  // namespace attn

// The version of a function that foreach_target.h compiled for the instruction
// set in use. Highway's own dispatch does the same and needs its library, which
// measures a clock whenever it is loaded: longer than a small problem takes.
#define ATTN_VERSION(function)                                                                                   \
  version_in_use<decltype(&HWY_STATIC_DISPATCH(function))>(HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), \
                                                           HWY_CHOOSE_SSE4(function), HWY_CHOOSE_NEON(function), \
                                                           &HWY_STATIC_DISPATCH(function))
