#include "bench/cuda/peak.h"

#include <array>
#include <dlfcn.h>
#include <library_types.h>
#include <string>

#include "backend/backend.h"
#include "backend/cuda/kernels/busy.h"
#include "bench/workload.h"

namespace attn::cuda {
namespace {

constexpr int side = 8192;
constexpr int repetitions = 3;

// What cuBLAS calls the types and sums (cublas_api.h, library_types.h): it need
// not be there when attn is built.
struct Types {
  int data, compute;
};
Types types_of(Dtype dtype) {
  constexpr int compute_32f = 68, compute_64f = 70;
  constexpr std::array<int, 4> data = {CUDA_R_64F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16F};
  return {data[static_cast<std::size_t>(dtype)], dtype == Dtype::f64 ? compute_64f : compute_32f};
}

}  // namespace

struct Peak::Cublas {
  using Create = int (*)(void**);
  using Multiply = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                           const void*, void*, int, int, int, int);

  void* handle = nullptr;
  Multiply multiply = nullptr;

  Cublas() {
    const std::string version = ".so." + std::to_string(CUDART_VERSION / 1000);
    for (const std::string& name : {"libcublas" + version, std::string("libcublas.so")}) {
      void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library) continue;
      const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
      const auto found = reinterpret_cast<Multiply>(dlsym(library, "cublasGemmEx"));
      if (!create || !found || create(&handle) != 0) continue;
      multiply = found;
      return;
    }
  }

  // C = Aᵀ·B of square matrices. Returns whether it was started.
  bool start(Dtype dtype, const void* a, const void* b, void* c) const {
    constexpr int transposed = 1, as_is = 0, any_algorithm = -1;
    const auto [data, compute] = types_of(dtype);
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const bool wide = dtype == Dtype::f64;
    return multiply(handle, transposed, as_is, side, side, side, wide ? static_cast<const void*>(&wide_one) : &one, a,
                    data, side, b, data, side, wide ? static_cast<const void*>(&wide_zero) : &zero, c, data, side,
                    compute, any_algorithm) == 0;
  }
};

Peak::Peak() : cublas_(std::make_unique<Cublas>()) {}
Peak::~Peak() = default;

bool Peak::by_cublas() const { return cublas_->multiply != nullptr; }

double Peak::operations(Dtype dtype) {
  DeviceClock clock;
  if (!by_cublas()) {
    double done = 0;
    check(start_busy(dtype, done), "starting multiply-adds");
    clock.start();
    for (int i = 0; i < repetitions; ++i) check(start_busy(dtype, done), "starting multiply-adds");
    return repetitions * done / clock.seconds();
  }

  constexpr std::size_t count = std::size_t{side} * side;
  const std::size_t bytes = count * bytes_of(dtype);
  std::byte* memory = memory_.at_least(3 * bytes);
  check(fill_with_samples(dtype, memory, count, 1), "making random numbers");
  check(fill_with_samples(dtype, memory + bytes, count, 2), "making random numbers");
  const auto start = [&] {
    if (cublas_->start(dtype, memory, memory + bytes, memory + 2 * bytes)) return;
    throw BackendError({"gpu-failed", "", "cuBLAS cannot multiply two matrices on this GPU",
                        "see whether its version is that of the driver"});
  };
  start();
  clock.start();
  for (int i = 0; i < repetitions; ++i) start();
  return repetitions * 2.0 * side * side * side / clock.seconds();
}

double Peak::bandwidth() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  std::byte* memory = memory_.at_least(2 * bytes);
  const auto start = [&] {
    check(cudaMemcpyAsync(memory + bytes, memory, bytes, cudaMemcpyDeviceToDevice), "copying within it");
  };
  start();
  DeviceClock clock;
  clock.start();
  for (int i = 0; i < repetitions; ++i) start();
  return repetitions * 2.0 * bytes / clock.seconds();
}

}  // namespace attn::cuda
