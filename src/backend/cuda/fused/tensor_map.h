#pragma once

#include <cuda.h>

#include "backend/cuda/fused/fused.h"

namespace attn::cuda {

// Describes [batch, head, row, feature] to the tensor memory accelerator, to be
// fetched in boxes of `box_rows` rows × 64 features, laid out for wgmma (ptx_hopper.h).
// The driver's function is asked for at run time: nothing is linked with libcuda.
inline cudaError_t describe(CUtensorMap* map, const void* tensor, Dtype dtype, const FusedStrides& at, int batch,
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

  // The stride of an axis of one is never used, but has to look like one.
  const auto stride = [&](int size, std::int64_t numbers) {
    return static_cast<cuuint64_t>(size > 1 ? 2 * numbers : 2 * static_cast<std::int64_t>(width));
  };
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(rows),
                              static_cast<cuuint64_t>(heads), static_cast<cuuint64_t>(batch)};
  const cuuint64_t strides[] = {stride(rows, at.row), stride(heads, at.head), stride(batch, at.batch)};
  const cuuint32_t box[] = {64, static_cast<cuuint32_t>(box_rows), 1, 1};
  const cuuint32_t every[] = {1, 1, 1, 1};
  const CUresult result = reinterpret_cast<Encode>(encode)(
      map, dtype == Dtype::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4,
      const_cast<void*>(tensor), sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace attn::cuda
