#pragma once

#include <cstddef>
#include <memory>

namespace attn {

// Threads that wait for work. Which of them does a task is left to chance, so
// tasks must not depend on it.
class Threads {
 public:
  // `count` of them, the caller among them; 0 for as many as there are processors.
  // They start when there is first something for them to do.
  explicit Threads(std::size_t count);
  ~Threads();

  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t count() const { return count_; }

  // Calls work(task) once for each task from 0 to tasks − 1 and returns when all
  // are done. Where one throws, those not yet begun are left, and what it threw is
  // thrown here, once no thread works any more. Nothing is allocated once the
  // threads run. REQUIRES: work does not call each().
  template <class Work>
  void each(std::size_t tasks, Work&& work) {
    run(
        tasks, [](void* of, std::size_t task) { (*static_cast<std::remove_reference_t<Work>*>(of))(task); },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  void run(std::size_t tasks, void (*call)(void*, std::size_t), void* work);

  struct Pool;
  std::size_t count_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace attn
