#pragma once

#include "cuda_on_host/machine.h"

// The functions of ptx_hopper.h on the host.

namespace attn::cuda {

inline int uniform(int x) { return x; }
bool elect_one();
template <int>
void setmaxnreg_inc() {}
template <int>
void setmaxnreg_dec() {}
inline void bar_sync(int number, int threads) {
  cuda_on_host::barrier_sync(static_cast<unsigned>(number), static_cast<unsigned>(threads));
}
inline void bar_arrive(int number, int threads) {
  cuda_on_host::barrier_arrive(static_cast<unsigned>(number), static_cast<unsigned>(threads));
}

void store_shared_16(std::uint32_t to, uint4 bytes);
void fence_proxy_async();

inline cudaError_t watch_waits() { return cudaSuccess; }
void mbarrier_init(Mbarrier barrier, int arrivals);
inline void fence_mbarrier_init() {}
void mbarrier_arrive(Mbarrier barrier);
void mbarrier_arrive_expect_tx(Mbarrier barrier, int bytes);
void mbarrier_wait(Mbarrier barrier, unsigned parity);

inline void prefetch_tensormap(const CUtensorMap*) {}
void tma_load(std::uint32_t to, const CUtensorMap* map, Mbarrier barrier, int i0, int i1, int i2, int i3);

void wgmma_fence();
void wgmma_commit();
void wait_for_products(std::size_t pending);
template <int pending>
void wgmma_wait() {
  wait_for_products(pending);
}
template <int n>
void wgmma_hold(float (&)[n][4]) {}

// One product of 64 × 16 by 16 × n; a is a descriptor or, where it is not null, registers.
template <class T>
void ask_for_product(float* d, int n, const std::uint32_t* a_registers, std::uint64_t a, std::uint64_t b,
                     bool b_transposed, bool add);

template <class T, int n>
struct Wgmma {
  static_assert(n % 8 == 0 && n <= 256);
  static void ss(float (&d)[n / 8][4], std::uint64_t a, std::uint64_t b, bool add) {
    ask_for_product<T>(&d[0][0], n, nullptr, a, b, false, add);
  }
  static void rs(float (&d)[n / 8][4], const std::uint32_t (&a)[4], std::uint64_t b) {
    ask_for_product<T>(&d[0][0], n, a, 0, b, true, true);
  }
};

}  // namespace attn::cuda
