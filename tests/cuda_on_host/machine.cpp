#include "cuda_on_host/machine.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <ucontext.h>

#include "sanitized.h"

#ifdef ATTN_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// From one stack to another. swapcontext() asks the operating system for signal
// masks each time, which is most of what it takes.
#if defined(__x86_64__) && !defined(ATTN_ADDRESS_SANITIZER)
#define ATTN_OWN_SWITCH
extern "C" void attn_switch_stack(void** keep, void* to);
asm(R"(
  .text
  .globl attn_switch_stack
  .type attn_switch_stack, @function
attn_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size attn_switch_stack, . - attn_switch_stack
)");
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_on_host {
namespace {

constexpr std::size_t kStack = std::size_t{256} * 1024;

std::mt19937 generator;
unsigned multiprocessors = 3;

// Of each multiprocessor. Blocks use them one after another.
std::map<unsigned, std::vector<std::unique_ptr<char[]>>> stacks;

char* stack_of(unsigned multiprocessor, unsigned thread) {
  std::vector<std::unique_ptr<char[]>>& all = stacks[multiprocessor];
  while (all.size() <= thread) all.emplace_back(new char[kStack]);
#ifdef ATTN_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(all[thread].get(), kStack);
#endif
  return all[thread].get();
}

struct Fiber {
  ucontext_t context{};
  void* top = nullptr;  // of the stack, while it does not run
  char* stack = nullptr;
  bool started = false, finished = false;
  std::string waits_for;
  ThreadState state;
};

struct Meeting {
  const char* name = nullptr;
  std::vector<void*> parts;
  unsigned arrived = 0;
  unsigned long long generation = 0;
};

struct NumberedBarrier {
  unsigned arrived = 0, count = 0;
  unsigned long long generation = 0;
};

using Bytes = std::unique_ptr<unsigned char, decltype(&std::free)>;

Bytes poisoned(std::size_t bytes) {
  Bytes made(static_cast<unsigned char*>(std::aligned_alloc(1024, (bytes + 1023) / 1024 * 1024 + 1024)), &std::free);
  std::memset(made.get(), kPoison, bytes);
#ifdef ATTN_ADDRESS_SANITIZER
  ASAN_POISON_MEMORY_REGION(made.get() + bytes, 1024);
#endif
  return made;
}

struct Block {
  Block(dim3 at, unsigned where, unsigned threads, std::size_t bytes, const std::function<void()>& kernel)
      : index(at),
        multiprocessor(where),
        fibers(threads),
        shared(poisoned(bytes)),
        seen_past_threads(poisoned(bytes)),
        shared_bytes(bytes),
        body(&kernel) {
    for (unsigned thread = 0; thread < threads; ++thread) runnable.push_back(thread);
  }

  dim3 index;
  unsigned multiprocessor;
  std::vector<Fiber> fibers;
  std::vector<unsigned> runnable;
  std::map<const void*, std::vector<unsigned>> waiting;
  std::vector<std::function<void()>> deeds, late_deeds;
  std::map<std::pair<unsigned, unsigned>, Meeting> meetings;
  std::map<unsigned, NumberedBarrier> barriers;
  std::map<std::uint32_t, MbarrierState> mbarriers;
  Bytes shared, seen_past_threads;
  std::size_t shared_bytes;
  const std::function<void()>* body;
  std::exception_ptr failure;
  bool given_up = false;
};

// Takes a thread off its stack whose block is given up, so that it frees what it holds.
struct GivenUp {};

Block* block = nullptr;
unsigned running = 0;
[[maybe_unused]] ucontext_t scheduler;
[[maybe_unused]] void* scheduler_top = nullptr;

// Address sanitizer wants to be told where the stack is.
#ifdef ATTN_ADDRESS_SANITIZER
const void* scheduler_stack = nullptr;
std::size_t scheduler_stack_size = 0;
void leave_to(const void* stack, std::size_t size, void** keep) { __sanitizer_start_switch_fiber(keep, stack, size); }
void arrived(void* kept, const void** from, std::size_t* size) { __sanitizer_finish_switch_fiber(kept, from, size); }
#endif

void to_scheduler(bool for_good) {
#ifdef ATTN_ADDRESS_SANITIZER
  void* kept = nullptr;
  leave_to(scheduler_stack, scheduler_stack_size, for_good ? nullptr : &kept);
  swapcontext(&block->fibers[running].context, &scheduler);
  arrived(kept, &scheduler_stack, &scheduler_stack_size);
#elif defined(ATTN_OWN_SWITCH)
  static_cast<void>(for_good);
  attn_switch_stack(&block->fibers[running].top, scheduler_top);
#else
  static_cast<void>(for_good);
  swapcontext(&block->fibers[running].context, &scheduler);
#endif
}

void fiber_main() {
#ifdef ATTN_ADDRESS_SANITIZER
  arrived(nullptr, &scheduler_stack, &scheduler_stack_size);
#endif
  try {
    (*block->body)();
  } catch (...) {
    if (!block->failure) block->failure = std::current_exception();
  }
  block->fibers[running].finished = true;
  to_scheduler(true);
}

void resume(unsigned thread) {
  running = thread;
  threadIdx = dim3(thread, 0, 0);
  Fiber& fiber = block->fibers[thread];
  if (!fiber.started) {
    fiber.started = true;
    fiber.stack = stack_of(block->multiprocessor, thread);
#ifdef ATTN_OWN_SWITCH
    // What the switch takes off it: six registers, and where to begin, as after a call.
    const auto end = reinterpret_cast<std::uintptr_t>(fiber.stack + kStack) / 16 * 16;
    void** const top = reinterpret_cast<void**>(end) - 8;
    std::fill_n(top, 8, nullptr);
    top[6] = reinterpret_cast<void*>(&fiber_main);
    fiber.top = top;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiber_main, 0);
#endif
  }
#ifdef ATTN_ADDRESS_SANITIZER
  void* kept = nullptr;
  leave_to(fiber.stack, kStack, &kept);
#endif
#ifdef ATTN_OWN_SWITCH
  attn_switch_stack(&scheduler_top, fiber.top);
#else
  swapcontext(&scheduler, &fiber.context);
#endif
#ifdef ATTN_ADDRESS_SANITIZER
  arrived(kept, nullptr, nullptr);
#endif
}

void give_up(Block& of) {
  block = &of;
  block->given_up = true;
  for (unsigned thread = 0; thread < block->fibers.size(); ++thread) {
    if (block->fibers[thread].started && !block->fibers[thread].finished) resume(thread);
  }
}

void do_one_of(std::vector<std::function<void()>>& deeds) {
  const unsigned which = drawn(static_cast<unsigned>(deeds.size()));
  const std::function<void()> deed = std::move(deeds[which]);
  deeds.erase(deeds.begin() + which);
  deed();
}

// Lets one thread of the block go on, or something happen that is due; false where there is
// nothing of the kind any more.
bool step() {
  if (!block->deeds.empty() && (block->runnable.empty() || drawn(16) == 0)) do_one_of(block->deeds);
  if (block->runnable.empty() && !block->late_deeds.empty()) do_one_of(block->late_deeds);
  if (block->runnable.empty()) return !block->deeds.empty() || !block->late_deeds.empty();
  const unsigned which = drawn(static_cast<unsigned>(block->runnable.size()));
  const unsigned thread = block->runnable[which];
  block->runnable[which] = block->runnable.back();
  block->runnable.pop_back();
  resume(thread);
  if (block->failure) std::rethrow_exception(block->failure);
  return true;
}

void require_ended() {
  for (std::size_t thread = 0; thread < block->fibers.size(); ++thread) {
    const Fiber& fiber = block->fibers[thread];
    if (fiber.finished) continue;
    throw Fault("threads wait for one another forever: thread " + std::to_string(thread) + " of block " +
                std::to_string(block->index.x) + " at " + (fiber.waits_for.empty() ? "a barrier" : fiber.waits_for));
  }
  for (const Fiber& fiber : block->fibers) {
    require(fiber.state.open_copies.empty() && fiber.state.copy_groups.empty(), "a thread ended before its cp.async");
    require(fiber.state.open_products.empty() && fiber.state.product_groups.empty(), "a thread ended before its wgmma");
  }
}

}  // namespace

void set_multiprocessors(unsigned count) { multiprocessors = count; }
void reseed(unsigned seed) { generator.seed(seed); }
unsigned drawn(unsigned choices) { return static_cast<unsigned>(generator() % choices); }
void fault(const std::string& what) { throw Fault(what); }

unsigned this_thread() { return running; }
unsigned threads_of_block() { return static_cast<unsigned>(block->fibers.size()); }
ThreadState& state_of_thread(unsigned thread) { return block->fibers[thread].state; }
std::map<std::uint32_t, MbarrierState>& mbarriers() { return block->mbarriers; }

void wait_at(const void* place, const std::function<bool()>& done, const std::string& what) {
  while (!done()) {
    block->fibers[running].waits_for = what;
    block->waiting[place].push_back(running);
    to_scheduler(false);
    if (block->given_up) throw GivenUp();
  }
}

void wake(const void* place) {
  const auto found = block->waiting.find(place);
  if (found == block->waiting.end()) return;
  block->runnable.insert(block->runnable.end(), found->second.begin(), found->second.end());
  block->waiting.erase(found);
}

void together(unsigned group, unsigned first, unsigned count, const char* name, void* part,
              const std::function<void(void* const* parts)>& work) {
  Meeting& meeting = block->meetings[{group, first}];
  if (meeting.arrived == 0) {
    meeting.parts.assign(count, nullptr);
    meeting.name = name;
  }
  require(std::strcmp(meeting.name, name) == 0, "threads of a warp are at different instructions");
  meeting.parts[running - first] = part;
  if (++meeting.arrived == count) {
    work(meeting.parts.data());
    meeting.arrived = 0;
    ++meeting.generation;
    wake(&meeting);
    return;
  }
  const unsigned long long mine = meeting.generation;
  wait_at(&meeting, [&meeting, mine] { return meeting.generation != mine; });
}

void barrier_arrive(unsigned number, unsigned count) {
  NumberedBarrier& barrier = block->barriers[number];
  require(number < 16 && count % 32 == 0, "there is no such barrier");
  require(barrier.arrived == 0 || barrier.count == count, "threads expect different numbers at a barrier");
  barrier.count = count;
  if (++barrier.arrived == count) {
    barrier.arrived = 0;
    ++barrier.generation;
    wake(&barrier);
  }
}

void barrier_sync(unsigned number, unsigned count) {
  NumberedBarrier& barrier = block->barriers[number];
  const unsigned long long mine = barrier.generation;
  barrier_arrive(number, count);
  wait_at(&barrier, [&barrier, mine] { return barrier.generation != mine; });
}

unsigned char* shared_start() { return block->shared.get(); }

namespace {

std::size_t offset_of(std::uint32_t address, std::size_t bytes) {
  require(address >= kSharedBase && address - kSharedBase + bytes <= block->shared_bytes,
          "an address outside of the block's shared memory");
  return address - kSharedBase;
}

}  // namespace

unsigned char* shared_at(std::uint32_t address, std::size_t bytes) {
  return block->shared.get() + offset_of(address, bytes);
}
unsigned char* shared_seen_past_threads(std::uint32_t address, std::size_t bytes) {
  return block->seen_past_threads.get() + offset_of(address, bytes);
}
void require_fenced(std::uint32_t address, std::size_t bytes) {
  require(std::memcmp(shared_at(address, bytes), shared_seen_past_threads(address, bytes), bytes) == 0,
          "a thread wrote to shared memory, and wgmma or the accelerator uses it, without fence.proxy.async");
}

std::uint16_t shared_number(std::uint32_t address) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, shared_at(address, 2), 2);
  require(bits != 0xffff, "shared memory is read that nobody has written, or that is being written");
  return bits;
}

void later(std::function<void()> deed) {
  // Soon, or only when all threads wait.
  (drawn(2) == 0 ? block->deeds : block->late_deeds).push_back(std::move(deed));
}

void run(dim3 blocks, dim3 threads, std::size_t shared_bytes, const std::function<void()>& body) {
  require(threads.y == 1 && threads.z == 1 && threads.x % 32 == 0, "blocks are rows of whole warps here");
  blockDim = threads;
  gridDim = blocks;
  std::vector<dim3> order;
  for (unsigned z = 0; z < blocks.z; ++z) {
    for (unsigned y = 0; y < blocks.y; ++y) {
      for (unsigned x = 0; x < blocks.x; ++x) order.emplace_back(x, y, z);
    }
  }
  std::shuffle(order.begin(), order.end(), generator);

  // Blocks that run, each on a multiprocessor of its own, which the next takes over.
  std::vector<std::unique_ptr<Block>> resident;
  const auto begin = [&](unsigned multiprocessor) {
    resident.push_back(std::make_unique<Block>(order.back(), multiprocessor, threads.x, shared_bytes, body));
    order.pop_back();
  };
  for (unsigned i = 0; i < multiprocessors && !order.empty(); ++i) begin(i);
  try {
    while (!resident.empty()) {
      const unsigned which = drawn(static_cast<unsigned>(resident.size()));
      block = resident[which].get();
      blockIdx = block->index;
      if (step()) continue;
      require_ended();
      const unsigned multiprocessor = block->multiprocessor;
      resident.erase(resident.begin() + which);
      if (!order.empty()) begin(multiprocessor);
    }
  } catch (...) {
    for (const auto& one : resident) give_up(*one);
    throw;
  }
}

}  // namespace cuda_on_host

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? static_cast<int>(cuda_on_host::multiprocessors) : 228 * 1024;
  return cudaSuccess;
}
