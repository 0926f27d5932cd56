#pragma once

#include "backend/cuda/fused/tile.h"

// What a thread does with its share of a 16 × 8n matrix as tensor cores leave it:
// n small matrices of 16 × 8 side by side, x[n][4]. With g = lane / 4 and c = lane % 4,
//
//   x[j][0], x[j][1]   row g,     columns 8j + 2c, 8j + 2c + 1
//   x[j][2], x[j][3]   row g + 8, the same columns
//
// (PTX ISA, "Matrix Fragments for mma.m16n8k16" and ".m64nNk16 register fragment
// layout for accumulator D": the four warps of a warpgroup have 16 rows each.)
// So a thread has a part of two rows, and the four threads with the same g have
// all of them.

namespace attn::cuda {

// The online softmax of two rows (Milakov & Gimelshein 2018, algorithm 3). Scores
// come unscaled; they are turned into powers of 2 by one multiply-add a score:
//   e^(scale · (s − largest)) = 2^(s · scale·log2 e − largest · scale·log2 e)
struct TwoRows {
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};  // of this thread's columns only

  // Turns scores into weights relative to the largest of the row so far.
  // rescale[r] is what everything from before must be multiplied by.
  template <int n>
  __device__ void weights_of(float (&scores)[n][4], float scale_log2, float (&rescale)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = largest[r];
#pragma unroll
      for (int j = 0; j < n; ++j) top = fmaxf(top, fmaxf(scores[j][2 * r], scores[j][2 * r + 1]));
      top = fmaxf(top, shuffle_xor(top, 1));
      top = fmaxf(top, shuffle_xor(top, 2));

      // All closed so far: −∞ − −∞ would be no number.
      const float shift = (top == -INFINITY ? 0 : top) * scale_log2;
      rescale[r] = ex2_approx(largest[r] * scale_log2 - shift);
      largest[r] = top;
      sum[r] *= rescale[r];
#pragma unroll
      for (int j = 0; j < n; ++j) {
        scores[j][2 * r] = ex2_approx(fmaf(scores[j][2 * r], scale_log2, -shift));
        scores[j][2 * r + 1] = ex2_approx(fmaf(scores[j][2 * r + 1], scale_log2, -shift));
        sum[r] += scores[j][2 * r] + scores[j][2 * r + 1];
      }
    }
  }

  // The sum of all columns of row g + 8r.
  __device__ float sum_of_row(int r) const {
    const float two = sum[r] + shuffle_xor(sum[r], 1);
    return two + shuffle_xor(two, 2);
  }

  // What the rows of the result must be multiplied by: 1 / sum, or 0 for a row without an open key.
  __device__ void finish(float (&factor)[2]) const {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float all = sum_of_row(r);
      factor[r] = all == 0 ? 0 : 1 / all;
    }
  }
};

// Closes what the two rows do not see: keys from open[r] on, where key 0 is column 0.
template <int n>
__device__ void close_cells(float (&scores)[n][4], const int (&open)[2], int lane) {
#pragma unroll
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (8 * j + 2 * (lane % 4) + i % 2 >= open[i / 2]) scores[j][i] = -INFINITY;
    }
  }
}

template <int n>
__device__ void multiply_rows(float (&x)[n][4], const float (&factor)[2]) {
#pragma unroll
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[j][i] *= factor[i / 2];
  }
}

// Weights rounded to 16 bits, as the left operand of the next product wants them:
// 16 columns are two small matrices, and every thread has already what it needs.
template <class T, int n>
__device__ void pack_weights(std::uint32_t (&packed_weights)[n / 2][4], const float (&weights)[n][4]) {
#pragma unroll
  for (int k = 0; k < n / 2; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float(&half)[4] = weights[2 * k + i / 2];
      packed_weights[k][i] = packed<T>(half[2 * (i % 2)], half[2 * (i % 2) + 1]);
    }
  }
}

// Writes both rows, rounded. Four threads have 8 columns of a row between them, 4 bytes each;
// they first exchange theirs so that each has 16 bytes, its own 8 of 32 columns.
template <class T, int n>
__device__ void store_rows(T* row_g, T* row_g8, bool g_there, bool g8_there, const float (&x)[n][4], int lane) {
  const int c = lane % 4;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int j = 0; j < n; j += 4) {
      // Thread c wants the small matrix j + c. In round k it gives thread c ^ k the
      // pair of matrix j + (c ^ k), and gets the pair with the columns of thread c ^ k.
      std::uint32_t pairs[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) pairs[i] = packed<T>(x[j + i][2 * r], x[j + i][2 * r + 1]);
      std::uint32_t eight[4] = {};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int to = c ^ k;
        const std::uint32_t give = to == 0 ? pairs[0] : to == 1 ? pairs[1] : to == 2 ? pairs[2] : pairs[3];
        const std::uint32_t got = k == 0 ? give : shuffle_xor(give, k);
        if (to == 0) eight[0] = got;
        if (to == 1) eight[1] = got;
        if (to == 2) eight[2] = got;
        if (to == 3) eight[3] = got;
      }
      if (r == 0 ? g_there : g8_there) {
        *reinterpret_cast<uint4*>((r == 0 ? row_g : row_g8) + 8 * (j + c)) =
            make_uint4(eight[0], eight[1], eight[2], eight[3]);
      }
    }
  }
}

}  // namespace attn::cuda
