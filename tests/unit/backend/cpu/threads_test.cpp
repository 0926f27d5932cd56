#include "backend/cpu/threads.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

TEST_CASE("every task is done once, by any number of threads, again and again", "[backend][cpu]") {
  const std::size_t count = GENERATE(1U, 2U, 5U, 16U);
  Threads threads(count);
  CHECK(threads.count() == count);
  for (const std::size_t tasks : {0U, 1U, 2U, 7U, 1000U}) {
    for (int repeated = 0; repeated < 20; ++repeated) {
      std::vector<std::atomic<int>> done(tasks);
      threads.each(tasks, [&](std::size_t task) { ++done[task]; });
      for (const auto& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("threads that have gone to sleep wake for the next tasks", "[backend][cpu]") {
  Threads threads(3);
  for (int repeated = 0; repeated < 3; ++repeated) {
    std::atomic<int> arrived{0};
    // Nobody gets on before all three are here: each task has a thread of its own.
    threads.each(3, [&](std::size_t) {
      ++arrived;
      while (arrived < 3) std::this_thread::yield();
    });
    CHECK(arrived == 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_CASE("what a task throws is thrown once no thread works any more, and the threads go on", "[backend][cpu]") {
  const std::size_t count = GENERATE(1U, 4U);
  Threads threads(count);
  for (int repeated = 0; repeated < 20; ++repeated) {
    std::atomic<int> working{0};
    const auto work = [&](std::size_t task) {
      ++working;
      if (task == 5) {
        --working;
        throw std::out_of_range("the sixth");
      }
      std::this_thread::yield();
      --working;
    };
    CHECK_THROWS_AS(threads.each(1000, work), std::out_of_range);
    CHECK(working == 0);
  }
  std::atomic<int> done{0};
  threads.each(100, [&](std::size_t) { ++done; });
  CHECK(done == 100);
}

TEST_CASE("as many threads as processors are meant where none are named", "[backend][cpu]") {
  CHECK(Threads(0).count() >= 1);
}
