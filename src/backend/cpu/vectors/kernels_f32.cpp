// The kernels for floats, compiled once for each instruction set.

#include "backend/cpu/vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/vectors/kernels_f32.cpp"
#include <hwy/foreach_target.h>
//
#include "backend/cpu/vectors/dispatch.h"
#include "backend/cpu/vectors/few-inl.h"
#include "backend/cpu/vectors/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {

bool tiles_f32(const FusedAttention<float>& call, const FusedRows& rows) {
  return TileTask<float>(call, rows).attend();
}
bool few_f32(const FusedAttention<float>& call, const FusedRows& rows) { return FewTask<float>(call, rows).attend(); }

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attn {

// Without memory for its packed blocks, a row is worked out where it stands.
void attend_tiles(const FusedAttention<float>& call, const FusedRows& rows) {
  if (!ATTN_VERSION(tiles_f32)(call, rows)) plain_rows(call, rows);
}

void attend_few(const FusedAttention<float>& call, const FusedRows& rows) {
  if (!ATTN_VERSION(few_f32)(call, rows)) plain_rows(call, rows);
}

}  // namespace attn
#endif
