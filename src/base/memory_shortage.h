#pragma once

namespace attn {

// What works out the functions of base/math.h that are called seldom aborts where it gets no memory.
// After this it calls the handler that std::set_new_handler() was given instead, as operator new does.
// For a program, and at its beginning: GMP is told so, for all who use it.
void let_math_end_as_new_does();

}  // namespace attn
