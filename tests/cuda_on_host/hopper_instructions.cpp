// The instructions of ptx_hopper.h, from the definitions of the PTX ISA, and the
// driver's function that describes tensors.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "backend/cuda/fused/hopper/ptx_hopper.h"
#include "cuda_on_host/machine.h"

using namespace cuda_on_host;

// --- The driver -------------------------------------------------------------------

namespace {

// Refuses what cuTensorMapEncodeTiled() is documented to refuse.
CUresult encode(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* every, CUtensorMapInterleave,
                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  bool fits = rank >= 1 && rank <= 5 && reinterpret_cast<std::uintptr_t>(address) % 16 == 0 &&
              swizzle == CU_TENSOR_MAP_SWIZZLE_128B && box[0] * 2 <= 128 && box[0] * 2 % 16 == 0;
  fits = fits && reinterpret_cast<std::uintptr_t>(map) % 64 == 0;
  *map = {static_cast<const unsigned char*>(address), rank, {}, {}, {}};
  for (cuuint32_t i = 0; i < rank; ++i) {
    fits = fits && sizes[i] >= 1 && sizes[i] <= std::uint64_t{1} << 32 && box[i] >= 1 && box[i] <= 256 && every[i] == 1;
    map->sizes[i] = sizes[i];
    map->box[i] = box[i];
    map->strides[i] = i == 0 ? 2 : strides[i - 1];
    if (i > 0) fits = fits && strides[i - 1] % 16 == 0 && strides[i - 1] < std::uint64_t{1} << 40;
    // "Each following dimension stride includes the previous": axes are nested, the closest neighbours first.
    if (i > 0) fits = fits && strides[i - 1] >= map->strides[i - 1] * sizes[i - 1];
  }
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  if (std::strcmp(symbol, "cuTensorMapEncodeTiled") != 0) return cudaErrorInvalidValue;
  *function = reinterpret_cast<void*>(&encode);
  *result = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

namespace attn::cuda {

// --- mbarrier -----------------------------------------------------------------------

namespace {

MbarrierState& mbarrier_at(std::uint32_t address) {
  const auto found = mbarriers().find(address);
  require(found != mbarriers().end(), "an mbarrier that nobody has made");
  return found->second;
}

void end_phase_if_done(MbarrierState& barrier) {
  if (barrier.pending > 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  wake(&barrier);
}

}  // namespace

void mbarrier_init(Mbarrier at, int arrivals) {
  require(at.address % 8 == 0, "an mbarrier at an address that is no multiple of 8");
  shared_at(at.address, 8);
  const auto count = static_cast<unsigned>(arrivals);
  mbarriers()[at.address] = {count, count, 0, 0};
}

void mbarrier_arrive(Mbarrier at) {
  MbarrierState& barrier = mbarrier_at(at.address);
  require(barrier.pending > 0, "more arrivals at an mbarrier than it was made for");
  --barrier.pending;
  end_phase_if_done(barrier);
}

void mbarrier_arrive_expect_tx(Mbarrier at, int bytes) {
  mbarrier_at(at.address).bytes += bytes;
  mbarrier_arrive(at);
}

void mbarrier_wait(Mbarrier at, unsigned parity) {
  MbarrierState& barrier = mbarrier_at(at.address);
  require(parity < 2, "a parity is 0 or 1");
  wait_at(
      &barrier, [&barrier, parity] { return barrier.phase % 2 != parity; },
      std::string("mbarrier ") + at.name + ", stage " + std::to_string(at.stage) + ", parity " +
          std::to_string(parity));
}

// --- What threads write, and wgmma is to see -------------------------------------------

void store_shared_16(std::uint32_t to, uint4 bytes) {
  require(to % 16 == 0, "16 bytes to an address that is no multiple of 16");
  std::memcpy(shared_at(to, 16), &bytes, 16);
  state_of_thread(this_thread()).unfenced.push_back(to);
}

void fence_proxy_async() {
  std::vector<std::uint32_t>& written = state_of_thread(this_thread()).unfenced;
  for (const std::uint32_t address : written) {
    std::memcpy(shared_seen_past_threads(address, 16), shared_at(address, 16), 16);
  }
  written.clear();
}

// One thread of each warp, and not the first.
bool elect_one() {
  together(0, this_thread() - this_thread() % 32, 32, "elect", nullptr, [](void* const*) {});
  return this_thread() % 32 == 21;
}

// --- The tensor memory accelerator -----------------------------------------------------

void tma_load(std::uint32_t to, const CUtensorMap* map, Mbarrier barrier, int i0, int i1, int i2, int i3) {
  const std::array<std::int64_t, 4> start = {i0, i1, i2, i3};
  const std::uint32_t rows = map->box[1] * map->box[2] * map->box[3];
  const auto along = static_cast<std::size_t>(std::max_element(map->box + 1, map->box + 4) - map->box);
  require(map->rank == 4 && map->box[0] == 64 && map->box[along] == rows, "boxes are rows of 64 numbers here");
  // The swizzle is a matter of the address: an atom of 8 rows begins at a multiple of 1024.
  require(to % 1024 == 0, "a swizzled box at an address that is no multiple of 1024");
  unsigned char* const box = shared_at(to, rows * 128);
  require_fenced(to, rows * 128);
  unsigned char* const seen = shared_seen_past_threads(to, rows * 128);
  mbarrier_at(barrier.address);
  std::memset(box, kPoison, rows * 128);
  std::memset(seen, kPoison, rows * 128);

  const CUtensorMap copy = *map;
  later([=] {
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < 64; ++column) {
        std::array<std::int64_t, 4> at = start;
        at[0] += column;
        at[along] += row;
        bool inside = true;
        const unsigned char* from = copy.address;
        for (unsigned axis = 0; axis < 4; ++axis) {
          inside = inside && at[axis] >= 0 && at[axis] < static_cast<std::int64_t>(copy.sizes[axis]);
          from += static_cast<std::int64_t>(copy.strides[axis]) * at[axis];
        }
        // Chunk c of row r of an atom lies at c ^ r (CUDA programming guide, "Swizzle modes").
        unsigned char* const place = box + row * 128 + ((column / 8) ^ (row % 8)) * 16 + column % 8 * 2;
        if (inside) {
          std::memcpy(place, from, 2);
        } else {
          std::memset(place, 0, 2);
        }
      }
    }
    std::memcpy(seen, box, rows * 128);
    MbarrierState& full = mbarrier_at(barrier.address);
    full.bytes -= rows * 128;
    require(full.bytes >= 0, "more bytes came to an mbarrier than it was told of");
    end_phase_if_done(full);
  });
}

// --- wgmma --------------------------------------------------------------------------------

namespace {

unsigned lane() { return this_thread() % 32; }

// Numbers of a matrix in shared memory, by its descriptor.
class Matrix {
 public:
  explicit Matrix(std::uint64_t descriptor)
      : start_(field(descriptor, 0)), leading_(field(descriptor, 16)), stride_(field(descriptor, 32)) {
    require(descriptor >> 62 == 1, "only the 128-byte swizzle is known here");
    require((descriptor >> 49 & 7) == 0, "no atom begins elsewhere than at a multiple of 1024 here");
  }

  // Row r (of A, or column of B), element k of 16: "K-major".
  std::uint16_t along(unsigned r, unsigned k) const { return read(r % 8 * 128 + r / 8 * stride_ + 2 * k); }
  // The same of a transposed matrix: "MN-major".
  std::uint16_t across(unsigned r, unsigned k) const {
    return read(r % 64 * 2 + r / 64 * leading_ + k % 8 * 128 + k / 8 * stride_);
  }

 private:
  static std::uint32_t field(std::uint64_t descriptor, int from) {
    return static_cast<std::uint32_t>(descriptor >> from & 0x3fff) << 4;
  }

  // The swizzle exchanges bits of the address: 4–6 are xored with 7–9.
  std::uint16_t read(std::uint32_t offset) const {
    const std::uint32_t address = start_ + offset, swizzled = address ^ (address >> 3 & 0x70);
    require_fenced(swizzled, 2);
    return shared_number(swizzled);
  }

  std::uint32_t start_, leading_, stride_;
};

// The accumulators of a warp while products with them are under way.
struct Accumulators {
  std::array<std::vector<float>, 32> values;
  unsigned products = 0;
};
std::map<const float*, Accumulators> under_way;  // by the registers of lane 0

template <class T>
struct Product {
  std::array<float*, 32> d;
  std::array<const std::uint32_t*, 32> a_registers;
  unsigned warp_row;  // of the warpgroup's 64
  int n;
  bool in_registers, b_transposed;
  std::uint64_t a, b;
  std::vector<float> a_values, b_values;  // [16][16], [n][16]

  void read() {
    const auto wide = [](std::uint16_t bits) { return widened(T{bits}); };
    a_values.resize(256);
    for (unsigned l = 0; in_registers && l < 32; ++l) {
      for (unsigned i = 0; i < 8; ++i) {  // a0 … a7 of the manual
        const unsigned row = l / 4 + i / 2 % 2 * 8, column = 2 * (l % 4) + i % 2 + i / 4 * 8;
        a_values[row * 16 + column] = wide(static_cast<std::uint16_t>(a_registers[l][i / 2] >> 16 * (i % 2)));
      }
    }
    if (!in_registers) {
      const Matrix matrix(a);
      for (unsigned row = 0; row < 16; ++row) {
        for (unsigned k = 0; k < 16; ++k) a_values[row * 16 + k] = wide(matrix.along(warp_row + row, k));
      }
    }
    const Matrix matrix(b);
    b_values.resize(static_cast<std::size_t>(n) * 16);
    for (unsigned column = 0; column < static_cast<unsigned>(n); ++column) {
      for (unsigned k = 0; k < 16; ++k) {
        b_values[column * 16 + k] = wide(b_transposed ? matrix.across(column, k) : matrix.along(column, k));
      }
    }
  }

  void finish() {
    if (b_values.empty()) read();
    Accumulators& sums = under_way[d[0]];
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned i = 0; i < static_cast<unsigned>(n) / 2; ++i) {
        // Register 4j + i of a thread: row g, or g + 8 for the last two; columns 8j + 2c and the next.
        const unsigned row = l / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + 2 * (l % 4) + i % 2;
        float sum = sums.values[l][i];
        for (unsigned k = 0; k < 16; ++k) sum += a_values[row * 16 + k] * b_values[column * 16 + k];
        sums.values[l][i] = sum;
      }
    }
    if (--sums.products > 0) return;
    for (unsigned l = 0; l < 32; ++l) std::copy(sums.values[l].begin(), sums.values[l].end(), d[l]);
    under_way.erase(d[0]);
  }
};

// Groups belong to the warp; its first thread keeps them.
void with_warp(const char* name, void* part, const std::function<void(void* const*)>& work) {
  together(0, this_thread() - lane(), 32, name, part, work);
}
ThreadState& state_of_warp() { return state_of_thread(this_thread() - lane()); }

}  // namespace

void wgmma_fence() { state_of_thread(this_thread()).wgmma_fenced = true; }

void wgmma_commit() {
  with_warp("wgmma.commit_group", nullptr, [](void* const*) {
    ThreadState& state = state_of_warp();
    state.product_groups.push_back(std::move(state.open_products));
    state.open_products.clear();
  });
}

void wait_for_products(std::size_t pending) {
  with_warp("wgmma.wait_group", &pending, [](void* const* parts) {
    ThreadState& state = state_of_warp();
    for (; state.product_groups.size() > *static_cast<std::size_t*>(parts[0]); state.product_groups.pop_front()) {
      for (const auto& product : state.product_groups.front()) product();
    }
  });
  state_of_thread(this_thread()).wgmma_fenced = false;
}

template <class T>
void ask_for_product(float* d, int n, const std::uint32_t* a_registers, std::uint64_t a, std::uint64_t b,
                     bool b_transposed, bool add) {
  struct Part {
    float* d;
    const std::uint32_t* a_registers;
    std::uint64_t a, b;
  } part = {d, a_registers, a, b};
  require(state_of_thread(this_thread()).wgmma_fenced, "wgmma without wgmma.fence after registers were touched");
  const unsigned warp_row = this_thread() % 128 / 32 * 16;
  with_warp("wgmma.mma_async", &part, [=](void* const* parts) {
    const auto product = std::make_shared<Product<T>>();
    product->warp_row = warp_row;
    product->n = n;
    product->in_registers = a_registers != nullptr;
    product->b_transposed = b_transposed;
    product->a = a;
    product->b = b;
    Accumulators& sums = under_way[static_cast<const Part*>(parts[0])->d];
    const auto count = static_cast<std::size_t>(n) / 2;
    for (unsigned l = 0; l < 32; ++l) {
      const Part& of = *static_cast<const Part*>(parts[l]);
      require(of.a == a && of.b == b, "threads of a warp name different matrices");
      product->d[l] = of.d;
      product->a_registers[l] = of.a_registers;
      // The registers belong to the product until it has been waited for.
      if (sums.products == 0) sums.values[l].assign(of.d, of.d + count);
      if (!add) sums.values[l].assign(count, 0);
      std::memset(of.d, kPoison, count * sizeof(float));
    }
    ++sums.products;
    if (drawn(2) == 0) product->read();  // now, or as late as can be
    state_of_warp().open_products.push_back([product] { product->finish(); });
  });
}

template void ask_for_product<Bf16>(float*, int, const std::uint32_t*, std::uint64_t, std::uint64_t, bool, bool);
template void ask_for_product<F16>(float*, int, const std::uint32_t*, std::uint64_t, std::uint64_t, bool, bool);

}  // namespace attn::cuda
