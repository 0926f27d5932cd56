#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

// A device with a few multiprocessors, on the host, each of which runs one block of
// threads at a time.
//
// Each thread is a fiber. At a barrier, a shuffle or another instruction of many
// threads it hands over to one of the threads that can run, drawn by a seeded
// generator: what relies on an order that the kernel does not enforce comes out differently
// with another seed. What is asynchronous on the device happens as early or as
// late as the manual lets it, drawn as well, and until then its destination
// holds NaNs. Shared memory starts as NaNs too.
//
// A kernel that breaks a rule that can be seen here ends with Fault.

namespace cuda_on_host {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How many blocks run at the same time from now on; that is 3 at first.
void set_multiprocessors(unsigned count);

// The seed of everything that is drawn from now on.
void reseed(unsigned seed);
// One of 0 … choices − 1.
unsigned drawn(unsigned choices);

[[noreturn]] void fault(const std::string& what);
inline void require(bool holds, const char* what) {
  if (!holds) fault(what);
}

// --- threads -------------------------------------------------------------------

unsigned this_thread();  // threadIdx.x
unsigned threads_of_block();

// Lets others run until somebody calls wake() with the same place and done() holds. What
// is waited for is told where that never happens.
void wait_at(const void* place, const std::function<bool()>& done, const std::string& what = "");
void wake(const void* place);

// An instruction that `count` threads execute together, each with its part. The
// last to come does the work for all; parts are in order of threads. `name` must be the same for all.
void together(unsigned group, unsigned first, unsigned count, const char* name, void* part,
              const std::function<void(void* const* parts)>& work);

// A barrier of the block, by number, for `count` threads.
void barrier_arrive(unsigned number, unsigned count);
void barrier_sync(unsigned number, unsigned count);

// --- memory ----------------------------------------------------------------------

constexpr std::uint32_t kSharedBase = 1024;  // the address of the block's first byte
constexpr unsigned char kPoison = 0xff;      // twice: a NaN in bf16 and in f16; four times: in f32

unsigned char* shared_start();
// The bytes at an address of shared memory. Faults where they are not the block's.
unsigned char* shared_at(std::uint32_t address, std::size_t bytes);
// A 16-bit number that somebody has written.
std::uint16_t shared_number(std::uint32_t address);

// Shared memory as wgmma and the accelerator see it, "the asynchronous proxy": what
// threads have written comes there by their fence only.
unsigned char* shared_seen_past_threads(std::uint32_t address, std::size_t bytes);
// Faults where threads have written something that is not there yet.
void require_fenced(std::uint32_t address, std::size_t bytes);

// --- what happens later ------------------------------------------------------------

// Something that is done at some time from now on, in any order.
void later(std::function<void()> deed);

// State that instructions keep for each thread, and for the block; gone with the block.
struct Transfers;  // cp.async
struct Warpgroup;  // wgmma
struct ThreadState {
  std::vector<std::function<void()>> open_copies;
  std::deque<std::vector<std::function<void()>>> copy_groups;
  bool wgmma_fenced = false;
  std::vector<std::function<void()>> open_products;
  std::deque<std::vector<std::function<void()>>> product_groups;
  std::vector<std::uint32_t> unfenced;  // where it has written 16 bytes that wgmma is to see
};
ThreadState& state_of_thread(unsigned thread);

struct MbarrierState {
  unsigned expected = 0;  // arrivals of a phase
  unsigned pending = 0;   // arrivals still to come
  long long bytes = 0;    // of transactions still to come
  unsigned phase = 0;
};
std::map<std::uint32_t, MbarrierState>& mbarriers();

}  // namespace cuda_on_host
