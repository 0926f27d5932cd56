// Single operations on a GPU against the reference.

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#include "backend/cuda/device.h"
#include "gpu/device.h"
#include "reference_backend.h"
#include "unit/backend/drawn.h"

using namespace attn;         // NOLINT(google-build-using-namespace)
using namespace attn::drawn;  // NOLINT(google-build-using-namespace)

namespace {

// gelu is x·(1 + erf(x/√2))/2.
bool has_erf(const Op& op) {
  const auto* map = std::get_if<Map>(&op);
  const auto* gate = std::get_if<Gate>(&op);
  return (map && map->function == Unary::gelu) || (gate && gate->function == Unary::gelu);
}

// Sines, cosines, powers and erf are CUDA's own.
bool has_the_same_bits(const Op& op) {
  if (std::holds_alternative<Waves>(op) || has_erf(op)) return false;
  const auto* softmax = std::get_if<Softmax>(&op);
  return !softmax || softmax->base == 0;
}

// The largest difference, relative to the number or to `least`.
double apart(const Tensor<double>& got, const Tensor<double>& expected, double least) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    const double difference = std::abs(got[i] - expected[i]) / std::max(least, std::abs(expected[i]));
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
  }
  return worst;
}

}  // namespace

TEST_CASE("a GPU gives the bits of the reference, whatever the operation and dtype", "[gpu][operations]") {
  const auto gpu = gpu_here();
  if (!gpu) return;
  ReferenceBackend reference;
  for (int kind = 0; kind < kinds; ++kind) {
    for (std::uint64_t seed = 0; seed < (is_pretended() ? 6 : 100); ++seed) {
      Drawn random(1000 * static_cast<std::uint64_t>(kind) + seed);
      const Dtype dtype = dtypes[random.between(0, 3)];
      const Vectors vectors = random.one_in(3) ? Vectors::columns : Vectors::rows;
      const Call call = drawn_call(random, kind, dtype);
      const Tensor<double> expected = made_by(reference, call, dtype, vectors);
      const Tensor<double> got = made_by(*gpu, call, dtype, vectors);
      CAPTURE(kind, seed, std::string(name(dtype)), to_string(expected.shape()));
      if (has_the_same_bits(call.op)) {
        CHECK_FALSE(first_other(got, expected).has_value());
      } else {
        // An angle of up to 60 that is off by 3 ulp moves its sine by as much. Of 1 + erf(x/√2)
        // at x = -2, the least drawn, 1/22 is left: an error of doubles counts as many times as
        // much, and is then rounded to the dtype.
        const double least = std::holds_alternative<Waves>(call.op) ? 60 : 0x1p-1000;
        const double most = has_erf(call.op) ? 22 * 4 * step_at_one(Dtype::f64) : 4 * step_at_one(dtype);
        const double rounding = has_erf(call.op) && dtype != Dtype::f64 ? step_at_one(dtype) : 0;
        CHECK(apart(got, expected, least) <= most + rounding);
      }
    }
  }
}

TEST_CASE("where the GPU's memory is short a step says so, and a smaller one is computed after it", "[gpu]") {
  const auto gpu = gpu_here();
  if (!gpu) return;
  cuda::DeviceMemory memory;
  CHECK_THROWS_AS(memory.at_least(std::size_t{1} << 50), BackendError);
  const Tensor<double> one({{"key", 1}}, {1});
  CHECK(made_by(*gpu, {Copy{Shape{{"query", 1000}}}, {one}}, Dtype::f64, Vectors::rows)[999] == 1);
}
