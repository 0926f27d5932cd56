#pragma once

#include <pthread.h>

namespace attn {

// Calls end(kept) when this thread ends, with what was last kept for that `end`. An object of the
// thread with a destructor would do as much, but that the C library aborts where it lacks the
// memory to remember it.
template <void (*end)(void*)>
void keep_until_thread_ends(void* kept) {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, end);
    return made;
  }();
  pthread_setspecific(key, kept);
}

}  // namespace attn
