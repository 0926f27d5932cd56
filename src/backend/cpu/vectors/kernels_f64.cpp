// The kernels for doubles, compiled once for each instruction set.

#include "backend/cpu/vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/vectors/kernels_f64.cpp"
#include <hwy/foreach_target.h>
//
#include "backend/cpu/vectors/dispatch.h"
#include "backend/cpu/vectors/few-inl.h"
#include "backend/cpu/vectors/tiles-inl.h"

#if HWY_ONCE
namespace attn {

void attend_tiles(const FusedAttention<double>& call, const FusedRows& rows) {
  if (!ATTN_VERSION(attend_in_tiles<double>)(call, rows)) plain_rows(call, rows);
}

void attend_few(const FusedAttention<double>& call, const FusedRows& rows) {
  if (!ATTN_VERSION(attend_in_few<double>)(call, rows)) plain_rows(call, rows);
}

}  // namespace attn
#endif
