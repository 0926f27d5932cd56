#pragma once

#include <cstdint>
#include <cuda.h>

#include "backend/cuda/fused/ptx.h"

// The instructions that came with Hopper (compute capability 9.0a): barriers that
// count bytes, the tensor memory accelerator, products of a warpgroup.

namespace attn::cuda {

// A barrier in shared memory at which threads arrive, and bytes. What it is called is
// told where somebody waits for it in vain: on the host, and in a build with
// ATTN_CUDA_TRAP.
struct Mbarrier {
  std::uint32_t address;
  const char* name = "";
  int stage = 0;
};

}  // namespace attn::cuda

#ifndef __CUDACC__
#include <ptx_hopper_on_host.h>
#else

#ifdef ATTN_CUDA_TRAP
#include <cstdio>
#include <cstdlib>
#endif

namespace attn::cuda {

// What all threads of the warp have alike, in a way that the compiler knows.
inline __device__ int uniform(int x) { return __shfl_sync(0xffffffffu, x, 0); }

// True for one thread of the warp, the same each time, in a way that the compiler
// knows: what only one thread asks the accelerator for needs no loop over all.
inline __device__ bool elect_one() {
  std::uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred one;\n"
      "elect.sync _|one, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, one;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

// --- Registers and barriers of a warpgroup (four warps) ---------------------------

// Registers of each thread of the warpgroup from here on.
template <int count>
__device__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

// Barrier `number` opens when `threads` threads have come; those that sync wait for it.
inline __device__ void bar_sync(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
inline __device__ void bar_arrive(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// 16 bytes to shared memory. wgmma and the accelerator look at it past this thread's
// eyes ("the asynchronous proxy") and see what it has written after its fence only.
inline __device__ void store_shared_16(std::uint32_t to, uint4 bytes) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(bytes.x), "r"(bytes.y), "r"(bytes.z),
               "r"(bytes.w)
               : "memory");
}
inline __device__ void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// --- mbarrier: phases that end when all have arrived and all bytes are there --------

inline __device__ void mbarrier_init(Mbarrier barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier.address), "r"(arrivals) : "memory");
}
// Lets the accelerator see what mbarrier_init() did.
inline __device__ void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

inline __device__ void mbarrier_arrive(Mbarrier barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier.address) : "memory");
}
inline __device__ void mbarrier_arrive_expect_tx(Mbarrier barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier.address), "r"(bytes) : "memory");
}

#ifdef ATTN_CUDA_TRAP

// Whether the phase has ended, after a while of waiting for it.
inline __device__ bool mbarrier_has_ended(Mbarrier barrier, unsigned parity) {
  std::uint32_t ended;
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2, 1000;\n"
      "selp.u32 %0, 1, 0, done;\n"
      "}\n"
      : "=r"(ended)
      : "r"(barrier.address), "r"(parity)
      : "memory");
  return ended != 0;
}

// What a thread has waited for in vain. It lies in the host's memory, where it can be read
// when the kernel has failed. (printf() is a call, and for one the compiler gives up
// setmaxnreg, and products that are under way: it would be another kernel.)
struct WaitInVain {
  char name[16];
  int stage, thread, block;
  unsigned parity;
};
static __constant__ WaitInVain* wait_in_vain;

// Before a kernel starts: what it waits for in vain is told when the program ends.
inline cudaError_t watch_waits() {
  static WaitInVain* told = nullptr;
  if (told == nullptr) {
    const cudaError_t error = cudaHostAlloc(&told, sizeof *told, cudaHostAllocMapped);
    if (error != cudaSuccess) return error;
    *told = {};
    std::atexit([] {
      if (told->name[0] == 0) return;
      std::fprintf(stderr, "thread %d of block %d waited in vain: mbarrier %s, stage %d, parity %u\n", told->thread,
                   told->block, told->name, told->stage, told->parity);
    });
  }
  return cudaMemcpyToSymbol(wait_in_vain, &told, sizeof told);
}

// Ends the kernel where the phase does not end: a second or more, no kernel of ours waits as long.
inline __device__ void mbarrier_wait(Mbarrier barrier, unsigned parity) {
  constexpr int kMostTries = 1 << 22;
  for (int tries = 0; !mbarrier_has_ended(barrier, parity); ++tries) {
    if (tries < kMostTries) continue;
    WaitInVain* const told = wait_in_vain;
    for (int i = 0; i < 15 && barrier.name[i] != 0; ++i) told->name[i] = barrier.name[i];
    told->stage = barrier.stage;
    told->parity = parity;
    told->thread = static_cast<int>(threadIdx.x);
    told->block = static_cast<int>(blockIdx.x);
    __threadfence_system();
    __trap();
  }
}

#else

inline cudaError_t watch_waits() { return cudaSuccess; }

// Waits for the end of a phase: the first has parity 0, the next 1, then 0 again.
inline __device__ void mbarrier_wait(Mbarrier barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra ready;\n"
      "bra again;\n"
      "ready:\n"
      "}\n" ::"r"(barrier.address),
      "r"(parity)
      : "memory");
}

#endif

// --- The tensor memory accelerator ---------------------------------------------------

inline __device__ void prefetch_tensormap(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Brings the map's box at these coordinates, fastest axis first, to shared memory, zeros
// where it leaves the tensor; then counts its bytes at the barrier.
inline __device__ void tma_load(std::uint32_t to, const CUtensorMap* map, Mbarrier barrier, int i0, int i1, int i2,
                                int i3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(to),
      "l"(map), "r"(barrier.address), "r"(i0), "r"(i1), "r"(i2), "r"(i3)
      : "memory");
}

// --- wgmma: a warpgroup multiplies matrices while it does something else ---------------

// Before the first product, and after registers of one were touched.
inline __device__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// Closes a group of products.
inline __device__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until at most `pending` groups are under way.
template <int pending>
__device__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
// Keeps the compiler from moving uses of these registers across this place.
template <int n>
__device__ void wgmma_hold(float (&d)[n][4]) {
#pragma unroll
  for (int j = 0; j < n; ++j) {
    asm volatile("" : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])::"memory");
  }
}

// d += a·b, where a is 64 × 16, b 16 × n, and d 64 × n in the layout of fragments.h.
// Where not `add`, d = a·b.
//
// In `ss` a and b lie in shared memory, row by row of a and column by column of b;
// in `rs` a is in registers, as for mma_m16n8k16, and b lies row by row ("transposed").
template <class T, int n>
struct Wgmma;

// The registers of an instruction, by the dozen: their places in its text and in the C++.
#define ATTN_TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define ATTN_PLACES_32 ATTN_TEN() ", " ATTN_TEN(1) ", " ATTN_TEN(2) ", %30, %31"
#define ATTN_PLACES_40 ATTN_TEN() ", " ATTN_TEN(1) ", " ATTN_TEN(2) ", " ATTN_TEN(3)
#define ATTN_PLACES_64 ATTN_PLACES_40 ", " ATTN_TEN(4) ", " ATTN_TEN(5) ", %60, %61, %62, %63"
#define ATTN_PLACES_80 ATTN_PLACES_40 ", " ATTN_TEN(4) ", " ATTN_TEN(5) ", " ATTN_TEN(6) ", " ATTN_TEN(7)
#define ATTN_PLACES_88 ATTN_PLACES_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define ATTN_PLACES_128 \
  ATTN_PLACES_80 ", " ATTN_TEN(8) ", " ATTN_TEN(9) ", " ATTN_TEN(10) ", " ATTN_TEN(11) ", %120, %121, %122, %123, " \
                 "%124, %125, %126, %127"
#define ATTN_D4(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
#define ATTN_D8(j) ATTN_D4(j), ATTN_D4(j + 1)
#define ATTN_D32(j) ATTN_D8(j), ATTN_D8(j + 2), ATTN_D8(j + 4), ATTN_D8(j + 6)
#define ATTN_D40(j) ATTN_D32(j), ATTN_D8(j + 8)
#define ATTN_D64(j) ATTN_D32(j), ATTN_D32(j + 8)
#define ATTN_D88(j) ATTN_D64(j), ATTN_D8(j + 16), ATTN_D8(j + 18), ATTN_D8(j + 20)
#define ATTN_D128(j) ATTN_D64(j), ATTN_D64(j + 16)

#define ATTN_SS(type, n, places, registers, a_place, b_place, add_place)                                     \
  static __device__ void ss(float(&d)[n / 8][4], std::uint64_t a, std::uint64_t b, bool add) {               \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" #add_place                                         \
                 ", 0;\n"                                                                                    \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" places "}, %" #a_place \
                 ", %" #b_place ", add, 1, 1, 0, 0;\n}\n"                                                    \
                 : registers                                                                                 \
                 : "l"(a), "l"(b), "r"(static_cast<int>(add)));                                              \
  }
#define ATTN_RS(type, n, places, registers, a0, a1, a2, a3, b_place)                                               \
  static __device__ void rs(float(&d)[n / 8][4], const std::uint32_t(&a)[4], std::uint64_t b) {                    \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" places "}, {%" #a0 ", %" #a1 \
                 ", %" #a2 ", %" #a3 "}, %" #b_place ", 1, 1, 1, 1;\n"                                             \
                 : registers                                                                                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                            \
  }
#define ATTN_WGMMA(T, type)                                                    \
  template <>                                                                  \
  struct Wgmma<T, 64> {                                                        \
    ATTN_RS(type, 64, ATTN_PLACES_32, ATTN_D32(0), 32, 33, 34, 35, 36)         \
  };                                                                           \
  template <>                                                                  \
  struct Wgmma<T, 80> {                                                        \
    ATTN_SS(type, 80, ATTN_PLACES_40, ATTN_D40(0), 40, 41, 42)                 \
  };                                                                           \
  template <>                                                                  \
  struct Wgmma<T, 128> {                                                       \
    ATTN_SS(type, 128, ATTN_PLACES_64, ATTN_D64(0), 64, 65, 66)                \
    ATTN_RS(type, 128, ATTN_PLACES_64, ATTN_D64(0), 64, 65, 66, 67, 68)        \
  };                                                                           \
  template <>                                                                  \
  struct Wgmma<T, 176> {                                                       \
    ATTN_SS(type, 176, ATTN_PLACES_88, ATTN_D88(0), 88, 89, 90)                \
  };                                                                           \
  template <>                                                                  \
  struct Wgmma<T, 256> {                                                       \
    ATTN_RS(type, 256, ATTN_PLACES_128, ATTN_D128(0), 128, 129, 130, 131, 132) \
  };
ATTN_WGMMA(Bf16, "bf16")
ATTN_WGMMA(F16, "f16")
#undef ATTN_WGMMA
#undef ATTN_RS
#undef ATTN_SS

}  // namespace attn::cuda

#endif

namespace attn::cuda {

// Where a matrix lies in shared memory, for wgmma: rows of 128 bytes one after
// another, of which every 8 are an atom of 1024 bytes in which chunk i (16
// bytes) of row r lies at i ^ r, as the accelerator writes them with
// CU_TENSOR_MAP_SWIZZLE_128B. What is wider than 128 bytes is several such
// columns of rows, `column_bytes` apart; only a transposed matrix spans more than one.
// (PTX ISA, "Matrix Descriptor Format": bits 0–13 the address, 16–29 the leading
// and 32–45 the stride byte offset, all in units of 16 bytes, 62–63 the swizzle: 1 for 128 bytes. The
// atoms stand on multiples of 1024, so the base offset is 0.)
inline __device__ std::uint64_t matrix_descriptor(std::uint32_t address, int column_bytes) {
  return static_cast<std::uint64_t>((address & 0x3ffff) >> 4) | static_cast<std::uint64_t>(column_bytes >> 4) << 16 |
         std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}

}  // namespace attn::cuda
