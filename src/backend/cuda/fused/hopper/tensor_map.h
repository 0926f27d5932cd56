#pragma once

#include <algorithm>
#include <cuda.h>

#include "backend/cuda/fused/fused.h"

namespace attn::cuda {

// [batch, head, row, feature] as the tensor memory accelerator knows it. It wants
// axes in the order of their strides, and heads may lie closer together than
// rows: `row` and `head` say which of the three axes after the features theirs is.
struct TensorMap {
  CUtensorMap map;
  int row, head;

  // The coordinate along axis 0, 1 or 2 of these.
  __host__ __device__ int along(int axis, int of_row, int of_head, int of_batch) const {
    return axis == row ? of_row : axis == head ? of_head : of_batch;
  }
};

// Axes of a tensor but that of its features, from the closest neighbours to the farthest.
struct TensorAxes {
  struct Axis {
    std::int64_t stride, size;  // in numbers
    int which;                  // 0 for rows, 1 for heads, 2 for sequences
  };
  Axis axes[3];

  TensorAxes(const FusedStrides& at, int batch, int heads, int rows)
      : axes{{at.row, rows, 0}, {at.head, heads, 1}, {at.batch, batch, 2}} {
    // An axis of one has any stride: it comes last.
    std::stable_sort(axes, axes + 3, [](const Axis& a, const Axis& b) {
      if ((a.size == 1) != (b.size == 1)) return b.size == 1;
      return a.size > 1 && a.stride < b.stride;
    });
  }

  // Whether each axis steps over all of the one before it. Strides of 0 (one sequence for all) do not.
  bool nested(int width) const {
    std::int64_t extent = width;
    for (const Axis& axis : axes) {
      if (axis.size == 1) continue;
      if (axis.stride < extent) return false;
      extent = axis.stride * axis.size;
    }
    return true;
  }
};

// Describes a tensor to the tensor memory accelerator, to be fetched in boxes of
// `box_rows` rows × 64 features, laid out for wgmma (ptx_hopper.h). The driver's function is
// asked for at run time: nothing is linked with libcuda. REQUIRES: its axes are nested.
inline cudaError_t describe(TensorMap* map, const void* tensor, Dtype dtype, const FusedStrides& at, int batch,
                            int heads, int rows, int width, int box_rows) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static void* encode = nullptr;
  if (encode == nullptr) {
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    if (error != cudaSuccess) return error;
    if (found != cudaDriverEntryPointSuccess || encode == nullptr) return cudaErrorNotSupported;
  }

  const TensorAxes order(at, batch, heads, rows);
  cuuint64_t sizes[4] = {static_cast<cuuint64_t>(width)}, strides[3] = {};
  cuuint32_t box[4] = {64, 1, 1, 1};
  std::int64_t extent = width;
  for (int i = 0; i < 3; ++i) {
    const TensorAxes::Axis& axis = order.axes[i];
    // The stride of an axis of one is never used, but has to look like one.
    const std::int64_t stride = axis.size > 1 ? axis.stride : extent;
    strides[i] = static_cast<cuuint64_t>(2 * stride);
    sizes[i + 1] = static_cast<cuuint64_t>(axis.size);
    extent = stride * axis.size;
    if (axis.which == 0) {
      map->row = i;
      box[i + 1] = static_cast<cuuint32_t>(box_rows);
    }
    if (axis.which == 1) map->head = i;
  }
  const cuuint32_t every[] = {1, 1, 1, 1};
  const CUresult result = reinterpret_cast<Encode>(encode)(
      &map->map, dtype == Dtype::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4,
      const_cast<void*>(tensor), sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace attn::cuda
