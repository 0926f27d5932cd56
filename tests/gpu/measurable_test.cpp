// What attn bench asks of a GPU.

#include "bench/measurable.h"

#include <string>

#include "gpu/device.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

TEST_CASE("every kernel of the ladder is timed, and its error is that of rounding to the dtype", "[gpu]") {
  const auto gpu = gpu_here();
  if (!gpu) return;
  const auto device = measurable_gpu();
  REQUIRE(device);
  CHECK(device->kernels().size() >= 2);
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16}) {
    for (const bool causal : {false, true}) {
      const Workload work{.batch = 1,
                          .heads = 2,
                          .kv_heads = 1,
                          .queries = causal ? 40UL : 1UL,
                          .keys = 70,
                          .key_width = 64,
                          .value_width = 64,
                          .causal = causal,
                          .dtype = dtype};
      const auto run = device->prepare(work);
      std::size_t timed = 0;
      for (const MeasurableKernel& kernel : device->kernels()) {
        if (!device->supports(kernel.name, work)) continue;
        // The host is slow: the first, and the last, which for one query is recorded as a graph.
        const bool ends = kernel.name == device->kernels().front().name || kernel.name == device->kernels().back().name;
        if (is_pretended() && !ends) continue;
        CAPTURE(kernel.name, std::string(name(dtype)), causal);
        CHECK(run->seconds(kernel.name) > 0);
        // The context's numbers are below 4, its weights and itself rounded once.
        CHECK(run->error().kernel <= 8 * step_at_one(dtype));
        CHECK(run->error().kernel > 0);
        CHECK(run->error().of_bound.value() <= 1);
        CHECK(run->error().of_bound.value() > 0);
        CHECK(run->error().plain <= 4 * step_at_one(dtype));
        ++timed;
      }
      CHECK(timed > 0);
    }
  }
}

TEST_CASE("what a GPU cannot do is not promised to attn bench", "[gpu]") {
  const auto gpu = gpu_here();
  if (!gpu) return;
  const auto device = measurable_gpu();
  const std::string clear = device->kernels().front().name;
  Workload work{.batch = 1, .heads = 1, .kv_heads = 1, .queries = 4, .keys = 4, .key_width = 64, .value_width = 64};
  CHECK(device->supports(clear, work));
  CHECK_FALSE(device->supports("no such kernel", work));
  work.dtype = Dtype::f64;
  CHECK_FALSE(device->supports(clear, work));
  work.dtype = Dtype::f32;
  work.model_width = 64;
  CHECK_FALSE(device->supports(clear, work));
}
