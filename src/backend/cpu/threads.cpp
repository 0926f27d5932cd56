#include "backend/cpu/threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace attn {
namespace {

// How often a thread looks for work before it goes to sleep: ten to a hundred
// microseconds, in which the next call of a computation usually comes.
constexpr int looks = 2000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// One job at a time stands open; who sees it may enter, until the caller closes
// it. So a thread that wakes late finds the door shut, and nobody waits for it.
//
// `door` is the job's number in the upper bits, a bit that says it is open, and
// how many threads are inside, the caller aside.
struct Threads::Pool {
  static constexpr std::uint64_t one_inside = 1, open = std::uint64_t{1} << 31, one_job = std::uint64_t{1} << 32;

  std::atomic<std::uint64_t> door{0};
  std::atomic<bool> ends{false};
  std::atomic<std::size_t> next{0};
  std::size_t tasks = 0;
  void (*call)(void*, std::size_t) = nullptr;
  void* work = nullptr;

  std::mutex mutex;
  std::condition_variable wakes;
  std::atomic<std::size_t> asleep{0};
  std::vector<std::thread> threads;
  std::exception_ptr thrown;  // by a task of the job

  explicit Pool(std::size_t workers) {
    threads.reserve(workers);
    try {
      for (std::size_t i = 0; i < workers; ++i) threads.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // The system has no more threads to give: fewer do the same work.
    }
  }

  ~Pool() {
    {
      const std::lock_guard lock(mutex);
      ends = true;
    }
    wakes.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void take_tasks() {
    try {
      for (std::size_t task = next++; task < tasks; task = next++) call(work, task);
    } catch (...) {
      next = tasks;
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  }

  void serve() {
    std::uint64_t last_job = 0;
    while (true) {
      std::uint64_t seen = wait_for_job(last_job);
      if (ends) return;
      last_job = seen / one_job;
      if (!(seen & open) || !door.compare_exchange_strong(seen, seen + one_inside)) {
        // Another came in at the same time, or the job was closed: look again.
        if (door.load() / one_job == last_job && (door.load() & open)) --last_job;
        continue;
      }
      take_tasks();
      door -= one_inside;
    }
  }

  // Returns the door once its job is not `last_job` any more.
  std::uint64_t wait_for_job(std::uint64_t last_job) {
    for (int look = 0; look < looks; ++look) {
      const std::uint64_t seen = door.load();
      if (seen / one_job != last_job || ends) return seen;
      pause();
    }
    std::unique_lock lock(mutex);
    ++asleep;
    wakes.wait(lock, [&] { return ends || door.load() / one_job != last_job; });
    --asleep;
    return door.load();
  }

  void run(std::size_t count, void (*task_call)(void*, std::size_t), void* task_work) {
    tasks = count;
    call = task_call;
    work = task_work;
    next = 0;
    door += one_job | open;
    if (asleep != 0) {
      // Whoever is between its last look and its sleep holds the mutex.
      { const std::lock_guard lock(mutex); }
      wakes.notify_all();
    }
    take_tasks();
    // Nobody enters from here on; those inside finish their last task.
    door -= open;
    for (int look = 0; (door.load() & (open - 1)) != 0; ++look) {
      if (look < looks) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }
};

Threads::Threads(std::size_t count)
    : count_(count != 0 ? count : std::max<std::size_t>(1, std::thread::hardware_concurrency())) {}

Threads::~Threads() = default;

void Threads::run(std::size_t tasks, void (*call)(void*, std::size_t), void* work) {
  if (tasks == 0) return;
  if (count_ == 1 || tasks == 1) {
    for (std::size_t task = 0; task < tasks; ++task) call(work, task);
    return;
  }
  if (!pool_) pool_ = std::make_unique<Pool>(count_ - 1);
  pool_->run(tasks, call, work);
}

}  // namespace attn
