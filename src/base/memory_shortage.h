#pragma once

#include <new>

namespace attn {

// What allocate() returns, asked again and again as operator new does it: where that is null the handler that
// std::set_new_handler() was given frees some memory, or does not return. Null where there is no handler.
template <class Allocate>
void* memory_of(Allocate allocate) {
  for (;;) {
    if (void* const memory = allocate()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) return nullptr;
    handler();
  }
}

// What works out the functions of base/math.h that are called seldom aborts where it gets no memory.
// After this it calls that handler first. For a program, and at its beginning: GMP is told so, for all who use it.
void let_math_end_as_new_does();

}  // namespace attn
