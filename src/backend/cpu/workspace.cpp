#include "backend/cpu/workspace.h"

#include <pthread.h>

namespace attn {
namespace {

constexpr std::align_val_t alignment{64};

// Enough for the smallest problems without asking the system.
constexpr std::size_t at_hand = std::size_t{16} << 10;

// Gives the memory back when the thread ends. An object with a destructor would do for that, but that
// the C library aborts where it lacks the memory to remember it.
void free_with_thread(void* memory) {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, [](void* kept) { ::operator delete(kept, alignment); });
    return made;
  }();
  pthread_setspecific(key, memory);
}

}  // namespace

void* workspace(std::size_t bytes) {
  alignas(64) thread_local unsigned char small[at_hand];
  if (bytes <= at_hand) return small;
  thread_local void* data = nullptr;
  thread_local std::size_t size = 0;
  if (size < bytes) {
    ::operator delete(data, alignment);
    data = ::operator new(bytes, alignment, std::nothrow);
    size = data ? bytes : 0;
    free_with_thread(data);
  }
  return data;
}

}  // namespace attn
