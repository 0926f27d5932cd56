// The instructions of ptx.h, from the definitions of the PTX ISA.

#include <cstring>

#include "backend/cuda/fused/ptx.h"
#include "cuda_on_host/machine.h"

namespace attn::cuda {

using namespace cuda_on_host;

// --- Numbers -----------------------------------------------------------------

float widened(Bf16 x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float wide = 0;
  std::memcpy(&wide, &bits, 4);
  return wide;
}

float widened(F16 x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  const float magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                          : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return x.bits >> 15 ? -magnitude : magnitude;
}

template <>
Bf16 narrowed<Bf16>(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, 4);
  if (x != x) return {0x7fff};
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

template <>
F16 narrowed<F16>(float x) {
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (x != x) return {0x7fff};
  const float magnitude = std::fabs(x);
  if (magnitude == 0) return {sign};
  if (magnitude >= 65520) return {static_cast<std::uint16_t>(sign | 0x7c00)};
  int exponent = 0;
  std::frexp(magnitude, &exponent);                            // magnitude < 2^exponent
  const int unit = exponent - 11 < -24 ? -24 : exponent - 11;  // the last place
  const int places = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // Places that carry into the next exponent are right as they are.
  const int bits = unit == -24 ? places : ((unit + 25) << 10) + (places - 1024);
  return {static_cast<std::uint16_t>(sign | bits)};
}

float exponential(float x) { return std::exp(x); }
float ex2_approx(float x) { return std::exp2(x); }

// --- Memory that a block shares ------------------------------------------------

unsigned char* shared_memory() { return shared_start(); }

std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(static_cast<const unsigned char*>(pointer) - shared_start()) + kSharedBase;
}

// --- Threads together ----------------------------------------------------------

namespace {

enum Group : unsigned { kWarp };

unsigned lane() { return this_thread() % 32; }

void with_warp(const char* name, void* part, const std::function<void(void* const*)>& work) {
  together(kWarp, this_thread() - lane(), 32, name, part, work);
}

template <class T>
T exchanged(const char* name, T x, unsigned from) {
  struct Part {
    T brought;
    unsigned from;
    T got;
  } part = {x, from, x};
  with_warp(name, &part, [](void* const* parts) {
    for (int l = 0; l < 32; ++l) {
      Part& mine = *static_cast<Part*>(parts[l]);
      mine.got = static_cast<Part*>(parts[mine.from])->brought;
    }
  });
  return part.got;
}

}  // namespace

void sync_block() { barrier_sync(0, threads_of_block()); }
void sync_warp() {
  with_warp("bar.warp.sync", nullptr, [](void* const*) {});
}
float shuffle_xor(float x, int mask) { return exchanged("shfl.bfly", x, lane() ^ static_cast<unsigned>(mask)); }
std::uint32_t shuffle_xor(std::uint32_t x, int mask) {
  return exchanged("shfl.bfly", x, lane() ^ static_cast<unsigned>(mask));
}
float shuffle(float x, int from) { return exchanged("shfl.idx", x, static_cast<unsigned>(from)); }

unsigned atomic_count(unsigned* counter, unsigned last) {
  const unsigned before = *counter;
  *counter = before >= last ? 0 : before + 1;
  return before;
}

// --- cp.async --------------------------------------------------------------------

// A copy is made at once or when it is waited for. Until then there is nothing to read at its destination.
void cp_async_16(std::uint32_t to, const void* from, bool there) {
  require(to % 16 == 0, "cp.async to an address that is no multiple of 16");
  require(reinterpret_cast<std::uintptr_t>(from) % 16 == 0 || !there,
          "cp.async from an address that is no multiple of 16");
  unsigned char* const destination = shared_at(to, 16);
  std::memset(destination, kPoison, 16);
  const auto copy = [destination, from, there] {
    if (there) {
      std::memcpy(destination, from, 16);
    } else {
      std::memset(destination, 0, 16);
    }
  };
  if (drawn(2) == 0) {
    copy();
  } else {
    state_of_thread(this_thread()).open_copies.push_back(copy);
  }
}

void cp_async_commit() {
  ThreadState& state = state_of_thread(this_thread());
  state.copy_groups.push_back(std::move(state.open_copies));
  state.open_copies.clear();
}

void wait_for_copies(std::size_t pending) {
  ThreadState& state = state_of_thread(this_thread());
  for (; state.copy_groups.size() > pending; state.copy_groups.pop_front()) {
    for (const auto& copy : state.copy_groups.front()) copy();
  }
}

// --- mma.sync --------------------------------------------------------------------

namespace {

template <bool trans>
void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) {
  struct Part {
    std::uint32_t row;
    std::uint32_t* r;
  } part = {row, r};
  with_warp(trans ? "ldmatrix.trans" : "ldmatrix", &part, [](void* const* parts) {
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned matrix = 0; matrix < 4; ++matrix) {
        std::uint32_t both = 0;
        for (unsigned i = 0; i < 2; ++i) {
          const unsigned at_row = trans ? 2 * (l % 4) + i : l / 4, at_column = trans ? l / 4 : 2 * (l % 4) + i;
          const std::uint32_t start = static_cast<const Part*>(parts[8 * matrix + at_row])->row;
          require(start % 16 == 0, "ldmatrix at an address that is no multiple of 16");
          both |= static_cast<std::uint32_t>(shared_number(start + 2 * at_column)) << (16 * i);
        }
        static_cast<const Part*>(parts[l])->r[matrix] = both;
      }
    }
  });
}

template <class T>
float half_of(std::uint32_t both, unsigned i) {
  return widened(T{static_cast<std::uint16_t>(both >> (16 * i))});
}

template <class T>
void multiply(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  struct Part {
    float* d;
    const std::uint32_t* a;
    std::uint32_t b[2];
  } part = {d, a, {b0, b1}};
  with_warp("mma.m16n8k16", &part, [](void* const* parts) {
    float wide_a[16][16], wide_b[16][8];
    for (unsigned l = 0; l < 32; ++l) {
      const Part& of = *static_cast<const Part*>(parts[l]);
      const unsigned g = l / 4, c = l % 4;
      for (unsigned i = 0; i < 8; ++i) {  // a0 … a7 of the manual
        wide_a[g + (i / 2 % 2) * 8][2 * c + i % 2 + (i / 4) * 8] = half_of<T>(of.a[i / 2], i % 2);
      }
      for (unsigned i = 0; i < 4; ++i) {  // b0 … b3
        wide_b[2 * c + i % 2 + (i / 2) * 8][g] = half_of<T>(of.b[i / 2], i % 2);
      }
    }
    for (unsigned l = 0; l < 32; ++l) {
      float* const of = static_cast<const Part*>(parts[l])->d;
      for (unsigned i = 0; i < 4; ++i) {  // c0 … c3
        const unsigned row = l / 4 + (i / 2) * 8, column = 2 * (l % 4) + i % 2;
        float sum = of[i];
        for (unsigned k = 0; k < 16; ++k) sum += wide_a[row][k] * wide_b[k][column];
        of[i] = sum;
      }
    }
  });
}

}  // namespace

void ldmatrix_x4(std::uint32_t (&r)[4], std::uint32_t row) { load_matrices<false>(r, row); }
void ldmatrix_x4_trans(std::uint32_t (&r)[4], std::uint32_t row) { load_matrices<true>(r, row); }

template <>
void mma_m16n8k16<Bf16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  multiply<Bf16>(d, a, b0, b1);
}
template <>
void mma_m16n8k16<F16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  multiply<F16>(d, a, b0, b1);
}

}  // namespace attn::cuda
