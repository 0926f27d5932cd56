// The CUDA kernels, run on the host thread by thread, against attention in double precision.

#include "backend/cuda/fused/hopper/tensor_map.h"
#include "backend/cuda/fused/tile.h"
#include "catch.h"
#include "cuda_on_host/attention_in_double.h"
#include "sanitized.h"

using attn::Dtype;
using cuda_on_host::Case;
using cuda_on_host::complaint;
using cuda_on_host::described;

namespace {

#ifdef ATTN_ADDRESS_SANITIZER
constexpr std::size_t kEvery = 3;  // slow as it is
#else
constexpr std::size_t kEvery = 1;
#endif

void check(const attn::cuda::FusedKernel& kernel, const std::vector<Case>& cases, int compute_capability) {
  for (std::size_t i = cases.size() - 1; i < cases.size(); i -= kEvery) {
    INFO(kernel.name << ": " << described(cases[i]));
    CHECK(complaint(kernel, cases[i], compute_capability) == "");
  }
}

}  // namespace

TEST_CASE("the clear kernel computes attention of every dtype and width", "[cuda]") {
  check(
      attn::cuda::clear_kernel,
      {
          {.dtype = Dtype::f32, .queries = 1, .keys = 1, .key_width = 1, .value_width = 1},
          {.dtype = Dtype::f32, .batch = 2, .heads = 2, .queries = 33, .keys = 70, .key_width = 5, .value_width = 7},
          {.dtype = Dtype::f32, .queries = 3, .keys = 65, .key_width = 256, .value_width = 256, .spread = 3},
          {.dtype = Dtype::f32,
           .batch = 2,
           .heads = 4,
           .kv_heads = 2,
           .queries = 40,
           .keys = 37,
           .key_width = 64,
           .value_width = 33,
           .causal = true,
           .offsets = {-3, 9},
           .lengths = {30, 0},
           .rows_first = true,
           .nan_behind_closed = true},
          {.dtype = Dtype::bf16, .heads = 2, .queries = 20, .keys = 50, .causal = true, .offsets = {30}},
          {.dtype = Dtype::f16, .batch = 2, .queries = 20, .keys = 50, .lengths = {50, 17}, .nan_behind_closed = true},
      },
      80);
}

namespace {

// Sizes around those of tiles, whatever they are.
std::vector<Case> cases_for_tensor_cores() {
  return {
      {.queries = 1, .keys = 1},
      {.heads = 2, .queries = 65, .keys = 64},
      {.dtype = Dtype::f16, .queries = 200, .keys = 301, .spread = 2},
      {.queries = 130, .keys = 260, .key_width = 128, .value_width = 128, .rows_first = true},
      {.dtype = Dtype::f16, .queries = 20, .keys = 150, .key_width = 256, .value_width = 256, .spread = 0.7f},
      {.batch = 2,
       .heads = 4,
       .kv_heads = 2,
       .queries = 130,
       .keys = 129,
       .causal = true,
       .offsets = {0, -40},
       .rows_first = true},
      {.queries = 200, .keys = 230, .key_width = 128, .value_width = 128, .causal = true, .offsets = {30}},
      {.dtype = Dtype::f16,
       .batch = 3,
       .queries = 70,
       .keys = 190,
       .key_width = 128,
       .value_width = 128,
       .causal = true,
       .offsets = {120, 0, 500},
       .lengths = {190, 0, 65}},
      {.batch = 3,
       .heads = 2,
       .kv_heads = 1,
       .queries = 5,
       .keys = 200,
       .lengths = {200, 128, 1},
       .nan_behind_closed = true},
      {.dtype = Dtype::f16,
       .batch = 2,
       .queries = 5,
       .keys = 400,
       .key_width = 128,
       .value_width = 128,
       .lengths = {301, 170},
       .nan_behind_closed = true},
      {.queries = 100, .keys = 100, .key_width = 256, .value_width = 256, .causal = true},
      {.queries = 10, .keys = 10, .causal = true, .offsets = {-10}},
  };
}

}  // namespace

TEST_CASE("the kernel for mma.sync computes attention", "[cuda]") {
  check(attn::cuda::mma_kernel, cases_for_tensor_cores(), 80);
}

TEST_CASE("the kernel for Hopper computes attention", "[cuda]") {
  check(attn::cuda::hopper_kernel, cases_for_tensor_cores(), 90);
  // So many tiles that every buffer is used again and again.
  check(attn::cuda::hopper_kernel,
        {
            {.heads = 5, .queries = 9, .keys = 660},
            {.dtype = Dtype::f16, .queries = 130, .keys = 890, .key_width = 128, .value_width = 128},
            {.queries = 100, .keys = 650, .key_width = 128, .value_width = 128, .causal = true, .offsets = {550}},
            {.queries = 3, .keys = 430, .key_width = 256, .value_width = 256},
        },
        90);
}

TEST_CASE("Hopper's tensor cores and copies compute attention where each is waited for", "[cuda]") {
  check(attn::cuda::wgmma_kernel, cases_for_tensor_cores(), 90);
}

TEST_CASE("a warpgroup that fetches and others that compute make attention", "[cuda]") {
  check(attn::cuda::roles_kernel, cases_for_tensor_cores(), 90);
  check(attn::cuda::roles_kernel,
        {
            {.heads = 2, .queries = 9, .keys = 660},
            {.dtype = Dtype::f16, .queries = 130, .keys = 890, .key_width = 128, .value_width = 128},
            {.queries = 3, .keys = 430, .key_width = 256, .value_width = 256},
        },
        90);
}

TEST_CASE("the blocks of the kernel for Hopper share out hundreds of pieces of work", "[cuda]") {
  check(attn::cuda::hopper_kernel,
        {
            // 624 pieces, few of them of more than one tile.
            {.batch = 13,
             .heads = 24,
             .kv_heads = 6,
             .queries = 193,
             .keys = 140,
             .causal = true,
             .offsets = {-185, -192, -150, 0, -193, -400, -100, -190, -60, -187, -185, -192, -192},
             .lengths = {140, 140, 9, 3, 140, 140, 0, 5, 140, 12, 1, 2, 139},
             .multiprocessors = 7,
             .once = true},
            // 60 of up to three tiles.
            {.dtype = Dtype::f16,
             .batch = 5,
             .heads = 4,
             .kv_heads = 2,
             .queries = 290,
             .keys = 300,
             .key_width = 128,
             .value_width = 128,
             .causal = true,
             .offsets = {10, 0, -100, 5, -200},
             .lengths = {300, 170, 300, 0, 90},
             .multiprocessors = 4},
            {.batch = 2,
             .heads = 6,
             .queries = 130,
             .keys = 100,
             .key_width = 256,
             .value_width = 256,
             .causal = true,
             .offsets = {-30},
             .multiprocessors = 2},
        },
        90);
}

TEST_CASE("weights that are subnormal in f16 cost no more than is said", "[cuda]") {
  const std::vector<Case> wide = {
      {.dtype = Dtype::f16, .queries = 70, .keys = 500, .spread = 3},
      {.dtype = Dtype::f16, .queries = 16, .keys = 900, .key_width = 128, .value_width = 128, .spread = 2.5f}};
  check(attn::cuda::mma_kernel, wide, 80);
  check(attn::cuda::hopper_kernel, wide, 90);
  check(attn::cuda::decode_kernel, {wide.back()}, 80);
}

TEST_CASE("tensors whose heads lie within rows, or rows within heads, are described to the accelerator", "[cuda]") {
  const attn::cuda::FusedStrides rows_first{64 * 8 * 100, 64, 64 * 8}, heads_first{64 * 8 * 100, 64 * 100, 64};
  const attn::cuda::FusedStrides one_sequence{0, 64 * 100, 64}, overlapping{64 * 8 * 100, 64 * 50, 64};
  const auto nested = [](const attn::cuda::FusedStrides& at, int batch) {
    return attn::cuda::TensorAxes(at, batch, 8, 100).nested(64);
  };
  CHECK(nested(rows_first, 3));
  CHECK(nested(heads_first, 3));
  CHECK(nested(one_sequence, 1));
  CHECK_FALSE(nested(one_sequence, 3));
  CHECK_FALSE(nested(overlapping, 1));
  CHECK(attn::cuda::TensorAxes(rows_first, 3, 8, 100).axes[0].which == 1);
  CHECK(attn::cuda::TensorAxes(heads_first, 3, 8, 100).axes[0].which == 0);
  CHECK(attn::cuda::TensorAxes(heads_first, 3, 8, 1).axes[2].which == 0);  // one row has any stride
}

TEST_CASE("the kernel for few queries computes attention", "[cuda]") {
  check(attn::cuda::decode_kernel,
        {
            {.queries = 1, .keys = 1},
            {.queries = 1, .keys = 1000, .key_width = 128, .value_width = 128},
            {.dtype = Dtype::f16,
             .batch = 2,
             .heads = 8,
             .kv_heads = 1,
             .queries = 3,
             .keys = 700,
             .causal = true,
             .offsets = {690, 100},
             .rows_first = true},
            {.heads = 2, .queries = 1, .keys = 1500, .key_width = 256, .value_width = 256, .spread = 0.7f},
            {.dtype = Dtype::f16,
             .batch = 3,
             .heads = 6,
             .kv_heads = 2,
             .queries = 1,
             .keys = 900,
             .lengths = {900, 0, 257},
             .nan_behind_closed = true},
            {.batch = 4,
             .heads = 2,
             .queries = 2,
             .keys = 600,
             .key_width = 128,
             .value_width = 128,
             .causal = true,
             .offsets = {598, -1, 0, 300}},
        },
        80);
}
