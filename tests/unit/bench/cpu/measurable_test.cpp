#include "bench/measurable.h"

#include <cmath>
#include <string>
#include <vector>

#include "bench/drawn_rows.h"
#include "catch.h"

namespace attn {
namespace {

// Queries, keys and values of one head in which every key is the same: the
// context is the mean of the values, to the last bit or nearly.
template <class T>
struct EqualKeys {
  std::vector<T> q = std::vector<T>(6 * 4, T{0.5}), k = std::vector<T>(8 * 4, T{0.25});
  std::vector<T> v = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<T> context = std::vector<T>(6, T{4.5});
  FusedAttention<T> call;

  EqualKeys() {
    call.queries = 6;
    call.keys = 8;
    call.key_width = 4;
    call.value_width = 1;
    call.q = q.data();
    call.k = k.data();
    call.v = v.data();
    call.context = context.data();
    call.q_at.row = call.k_at.row = 4;
    call.v_at.row = call.context_at.row = 1;
  }
};

TEST_CASE("a context that is right has no error, and one that is wrong has its own", "[cpu][bench]") {
  EqualKeys<float> equal;
  CHECK(error_of_drawn_rows(equal.call).kernel == 0);
  for (float& number : equal.context) number += 0.125F;
  CHECK(error_of_drawn_rows(equal.call).kernel == 0.125);
  for (float& number : equal.context) number = std::nanf("");
  CHECK(std::isinf(error_of_drawn_rows(equal.call).kernel));
}

TEST_CASE("errors are those of the rows under their causal mask", "[cpu][bench]") {
  EqualKeys<double> equal;
  const std::int64_t offset = 2;
  equal.call.right = 0;
  equal.call.offsets = &offset;
  // Query i sees i + 3 keys, whose values are 1 … i + 3.
  for (std::size_t i = 0; i < 6; ++i) equal.context[i] = (static_cast<double>(i) + 4) / 2;
  CHECK(error_of_drawn_rows(equal.call).kernel < 1e-15);
  CHECK(error_of_drawn_rows(equal.call).plain < 1e-14);
}

TEST_CASE("the context of a query that sees no key is 0", "[cpu][bench]") {
  EqualKeys<double> equal;
  const std::int64_t offset = -2;
  equal.call.right = 0;
  equal.call.offsets = &offset;
  // Query i sees i − 1 keys, whose values are 1 … i − 1; the first two see none.
  for (std::size_t i = 0; i < 6; ++i) equal.context[i] = i < 2 ? 0 : static_cast<double>(i) / 2;
  CHECK(error_of_drawn_rows(equal.call).kernel < 1e-15);
  CHECK(error_of_drawn_rows(equal.call).plain < 1e-14);
  equal.context[0] = equal.context[1] = 0.5;
  CHECK(error_of_drawn_rows(equal.call).kernel == 0.5);
}

TEST_CASE("every kernel of the ladder computes attention, of every kind of shape", "[cpu][bench]") {
  const auto device = measurable_processors(2);
  REQUIRE(device);
  REQUIRE_FALSE(device->kernels().empty());
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    Workload square{
        .batch = 2, .heads = 4, .kv_heads = 4, .queries = 70, .keys = 70, .key_width = 24, .value_width = 24};
    square.dtype = dtype;
    std::vector<Workload> shapes(5, square);
    shapes[1].causal = true;
    shapes[2].kv_heads = 2;
    shapes[3].value_width = 9;
    shapes[4].queries = 1;
    for (const Workload& work : shapes) {
      const auto run = device->prepare(work);
      for (const MeasurableKernel& kernel : device->kernels()) {
        if (!device->supports(kernel.name, work)) continue;
        INFO(kernel.name << ", " << work.queries << " queries, causal " << work.causal << ", " << name(dtype));
        CHECK(run->seconds(kernel.name) > 0);
        const MeasurableRun::Error error = run->error();
        CHECK(error.kernel <= (dtype == Dtype::f32 ? 1e-5 : 1e-13));
        CHECK(error.plain <= (dtype == Dtype::f32 ? 1e-5 : 1e-13));
      }
    }
  }
}

TEST_CASE("the last kernel of the ladder supports whatever any of them does", "[cpu][bench]") {
  const auto device = measurable_processors(1);
  for (const Dtype dtype : dtypes) {
    const Workload work{.queries = 5, .keys = 5, .key_width = 3, .value_width = 3, .dtype = dtype};
    const std::string last = device->kernels().back().name;
    for (const MeasurableKernel& kernel : device->kernels()) {
      INFO(kernel.name << ", " << name(dtype));
      if (device->supports(kernel.name, work)) CHECK(device->supports(last, work));
    }
  }
}

TEST_CASE("a machine has a peak and a bandwidth", "[cpu][bench]") {
  const auto device = measurable_processors(1);
  CHECK(device->peak(Dtype::f32) > 1e8);
  CHECK(device->peak(Dtype::f64) > 1e8);
  CHECK(device->bandwidth() > 1e7);
}

}  // namespace
}  // namespace attn
