#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// The instructions that the kernels are made of, under the names that NVIDIA's
// "Parallel Thread Execution ISA" gives them. Elsewhere in this folder there is
// no assembly. tests/cuda_on_host has the same functions for the host, written
// from that manual's definitions, so that the kernels also run without a GPU.

namespace attn::cuda {

// Numbers of 16 bits as they lie in memory.
struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};

}  // namespace attn::cuda

#ifndef __CUDACC__
#include <ptx_on_host.h>
#else

namespace attn::cuda {

// --- Numbers -----------------------------------------------------------------

inline __device__ float widened(float x) { return x; }
inline __device__ float widened(Bf16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }
inline __device__ float widened(F16 x) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
}

// Two numbers rounded to 16 bits, the first in the low half.
template <class T>
__device__ std::uint32_t packed(float low, float high);
template <>
inline __device__ std::uint32_t packed<Bf16>(float low, float high) {
  std::uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
template <>
inline __device__ std::uint32_t packed<F16>(float low, float high) {
  std::uint32_t both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

template <class T>
__device__ T narrowed(float x) {
  return T{static_cast<std::uint16_t>(packed<T>(x, 0))};
}
template <>
inline __device__ float narrowed<float>(float x) {
  return x;
}

inline __device__ float exponential(float x) { return expf(x); }

// 2^x with 22 correct bits, one instruction; 0 for −∞.
inline __device__ float ex2_approx(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// --- Memory that a block shares ------------------------------------------------

// All that was asked for at the launch; begins at a multiple of 1024.
inline __device__ unsigned char* shared_memory() {
  extern __shared__ __align__(1024) unsigned char attn_shared_memory[];
  return attn_shared_memory;
}

// An address as instructions on shared memory want it.
inline __device__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// --- Threads together ----------------------------------------------------------

inline __device__ void sync_block() { __syncthreads(); }
inline __device__ void sync_warp() { __syncwarp(); }

// The number that lane (own ^ mask) of the warp brings.
inline __device__ float shuffle_xor(float x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }
inline __device__ std::uint32_t shuffle_xor(std::uint32_t x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }
// The number that lane `from` brings.
inline __device__ float shuffle(float x, int from) { return __shfl_sync(0xffffffffu, x, from); }

// Counts up to `last` and then starts again from 0; returns the count before.
inline __device__ unsigned atomic_count(unsigned* counter, unsigned last) { return atomicInc(counter, last); }
// What this thread wrote is seen by other blocks before what it writes next.
inline __device__ void fence_device() { __threadfence(); }

// --- cp.async: from device memory to shared memory past the registers ------------

// 16 bytes; zeros where not `there`, and then nothing is read.
inline __device__ void cp_async_16(std::uint32_t to, const void* from, bool there) {
  const int bytes = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
// Closes a group of copies of this thread.
inline __device__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most `pending` groups of this thread are under way.
template <int pending>
__device__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// --- mma.sync: a warp multiplies matrices ----------------------------------------

// Four 8 × 8 matrices of 16-bit numbers from shared memory. Lane l gives the
// address of row l % 8 of matrix l / 8; and gets of each matrix the two numbers at row
// l / 4, columns 2·(l % 4) and the next; of the transposed one with `trans`.
inline __device__ void ldmatrix_x4(std::uint32_t (&r)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}
inline __device__ void ldmatrix_x4_trans(std::uint32_t (&r)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}

// d += a·b, where a is 16 × 16, b 16 × 8 and d 16 × 8. With g = lane / 4 and
// c = lane % 4 a lane holds
//   a: rows g, g+8, g, g+8 at columns 2c, 2c+1 (the first two) and 2c+8, 2c+9
//   b: column g at rows 2c, 2c+1, and at 2c+8, 2c+9
//   d: row g at columns 2c, 2c+1, then row g+8
template <class T>
__device__ void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
template <>
inline __device__ void mma_m16n8k16<Bf16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                          std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
inline __device__ void mma_m16n8k16<F16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace attn::cuda

#endif
