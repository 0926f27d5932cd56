// The host's version of the machine finds the faults that it is there to find.

#include "cuda_on_host/machine.h"

#include <cstring>
#include <vector>

#include "backend/cuda/fused/hopper/ptx_hopper.h"
#include "catch.h"

using namespace attn::cuda;

namespace {

// Runs a kernel of one block and returns the fault, or "".
std::string fault_of(unsigned threads, const std::function<void()>& kernel, unsigned seed = 1) {
  cuda_on_host::reseed(seed);
  try {
    cuda_on_host::run(1, threads, 8192, kernel);
  } catch (const cuda_on_host::Fault& fault) {
    return fault.what();
  }
  return "";
}

// 4096 numbers of shared memory, by 128 threads.
void fill_with_ones() {
  for (unsigned i = threadIdx.x; i < 512; i += 128) {
    store_shared_16(shared_address(shared_memory()) + 16 * i, {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80});
  }
}

}  // namespace

TEST_CASE("what nobody has written to shared memory cannot be read", "[cuda]") {
  CHECK_THAT(fault_of(32,
                      [] {
                        std::uint32_t r[4];
                        ldmatrix_x4(r, shared_address(shared_memory()) + 16 * (threadIdx.x % 32));
                      }),
             attn::contains("nobody has written"));
}

TEST_CASE("a copy that is not waited for is not there, at least with some seeds", "[cuda]") {
  alignas(16) static const std::uint16_t numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto read_copy = [](bool wait) {
    return [wait] {
      const std::uint32_t at = shared_address(shared_memory()) + 16 * threadIdx.x;
      cp_async_16(at, numbers, true);
      cp_async_commit();
      if (wait) cp_async_wait<0>();
      sync_warp();
      std::uint32_t r[4];
      ldmatrix_x4(r, at);
      cp_async_wait<0>();
    };
  };
  CHECK_THAT(fault_of(32, read_copy(false)), attn::contains("being written"));
  CHECK(fault_of(32, read_copy(true)) == "");
}

TEST_CASE("a missing barrier shows in some order of threads", "[cuda]") {
  const auto pass_on = [](bool barrier) {
    return [barrier] {
      float* const place = reinterpret_cast<float*>(shared_memory());
      if (threadIdx.x == 63) *place = 1;
      if (barrier) sync_block();
      if (*place != 1) cuda_on_host::fault("too early");
    };
  };
  CHECK(fault_of(64, pass_on(false)) == "too early");
  CHECK(fault_of(64, pass_on(true)) == "");
}

TEST_CASE("threads that wait for one another forever are found", "[cuda]") {
  CHECK_THAT(fault_of(64,
                      [] {
                        if (threadIdx.x < 32) sync_block();
                      }),
             attn::contains("forever"));
  CHECK_THAT(fault_of(32,
                      [] {
                        const Mbarrier barrier{shared_address(shared_memory()), "k_full", 2};
                        if (threadIdx.x == 0) mbarrier_init(barrier, 1);
                        sync_block();
                        mbarrier_wait(barrier, 0);
                      }),
             attn::contains("forever") && attn::contains("k_full, stage 2, parity 0"));
}

TEST_CASE("an address outside of the block's shared memory is refused", "[cuda]") {
  CHECK_THAT(fault_of(32, [] { cp_async_16(shared_address(shared_memory()) + 8192, nullptr, false); }),
             attn::contains("outside"));
}

TEST_CASE("accumulators cannot be read before their product is waited for", "[cuda]") {
  const auto multiply = [](bool fence, bool wait) {
    return [fence, wait] {
      fill_with_ones();
      fence_proxy_async();
      sync_block();
      const std::uint64_t matrix = matrix_descriptor(shared_address(shared_memory()), 0);
      float d[8][4] = {};
      const std::uint32_t a[4] = {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80};
      if (fence) wgmma_fence();
      Wgmma<Bf16, 64>::rs(d, a, matrix);
      wgmma_commit();
      if (wait) wgmma_wait<0>();
      const float seen = d[0][0];
      wgmma_wait<0>();
      if (seen != 16) cuda_on_host::fault("not yet");
    };
  };
  CHECK(fault_of(128, multiply(true, true)) == "");
  CHECK(fault_of(128, multiply(true, false)) == "not yet");
  CHECK_THAT(fault_of(128, multiply(false, true)), attn::contains("without wgmma.fence"));
}

TEST_CASE("wgmma sees what threads write after their fence only", "[cuda]") {
  const auto multiply = [](bool fence, bool barrier) {
    return [fence, barrier] {
      fill_with_ones();
      if (fence) fence_proxy_async();
      if (barrier) sync_block();
      float d[8][4] = {};
      const std::uint32_t a[4] = {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80};
      wgmma_fence();
      Wgmma<Bf16, 64>::rs(d, a, matrix_descriptor(shared_address(shared_memory()), 0));
      wgmma_commit();
      wgmma_wait<0>();
    };
  };
  CHECK(fault_of(128, multiply(true, true)) == "");
  CHECK_THAT(fault_of(128, multiply(false, true)), attn::contains("without fence.proxy.async"));
  CHECK(fault_of(128, multiply(true, false)) != "");  // some thread has not written at all
}

TEST_CASE("blocks run at the same time, as many as there are multiprocessors", "[cuda]") {
  static unsigned running = 0, most = 0;
  const auto count = [] {
    if (threadIdx.x == 0) most = std::max(most, ++running);
    for (int i = 0; i < 20; ++i) sync_block();
    if (threadIdx.x == 0) --running;
  };
  for (const unsigned multiprocessors : {1u, 4u}) {
    running = most = 0;
    cuda_on_host::set_multiprocessors(multiprocessors);
    cuda_on_host::run(20, 32, 16, count);
    CHECK(most == multiprocessors);
  }
  cuda_on_host::set_multiprocessors(3);
}
