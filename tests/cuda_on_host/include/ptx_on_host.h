#pragma once

#include "cuda_on_host/machine.h"

// The functions of ptx.h on the host.

namespace attn::cuda {

// --- Numbers -----------------------------------------------------------------

float widened(Bf16 x);
float widened(F16 x);
inline float widened(float x) { return x; }

template <class T>
T narrowed(float x);  // to the nearest, ties to even
template <>
Bf16 narrowed<Bf16>(float x);
template <>
F16 narrowed<F16>(float x);
template <>
inline float narrowed<float>(float x) {
  return x;
}

template <class T>
std::uint32_t packed(float low, float high) {
  return static_cast<std::uint32_t>(narrowed<T>(low).bits) | static_cast<std::uint32_t>(narrowed<T>(high).bits) << 16;
}

float exponential(float x);
float ex2_approx(float x);

// --- Memory that a block shares ------------------------------------------------

unsigned char* shared_memory();
std::uint32_t shared_address(const void* pointer);

// --- Threads together ----------------------------------------------------------

void sync_block();
void sync_warp();
float shuffle_xor(float x, int mask);
std::uint32_t shuffle_xor(std::uint32_t x, int mask);
float shuffle(float x, int from);
unsigned atomic_count(unsigned* counter, unsigned last);
inline void fence_device() {}

// --- cp.async --------------------------------------------------------------------

void cp_async_16(std::uint32_t to, const void* from, bool there);
void cp_async_commit();
void wait_for_copies(std::size_t pending);
template <int pending>
void cp_async_wait() {
  wait_for_copies(pending);
}

// --- mma.sync --------------------------------------------------------------------

void ldmatrix_x4(std::uint32_t (&r)[4], std::uint32_t row);
void ldmatrix_x4_trans(std::uint32_t (&r)[4], std::uint32_t row);

template <class T>
void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
template <>
void mma_m16n8k16<Bf16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
template <>
void mma_m16n8k16<F16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);

}  // namespace attn::cuda
