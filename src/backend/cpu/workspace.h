#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace attn {

// Memory of the calling thread for what a task keeps between its steps, aligned
// to a cache line; valid until the thread asks again. It grows to the largest
// that was asked for and is kept, so that a call usually allocates nothing.
// Null where there is no such memory.
void* workspace(std::size_t bytes);

struct AlignedDelete {
  void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{64}); }
};

// Numbers that nobody has written yet, aligned as above, for more than one task.
template <class T>
using AlignedArray = std::unique_ptr<T[], AlignedDelete>;

// Throws std::bad_alloc where there is no memory.
template <class T>
AlignedArray<T> aligned_array(std::size_t count) {
  return AlignedArray<T>(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64})));
}

}  // namespace attn
