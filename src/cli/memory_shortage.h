#pragma once

#include "cli/console.h"

namespace attn {

// Ends the program where memory is short: says so, takes unfinished files away, and exits with
// Exit::wrong_environment. It asks for no memory itself.
//
// From before main() on this is what happens where operator new, GMP or MPFR get none, on every thread.
// An exception would not do: it cannot leave a thread, a destructor, or what is constructed before
// main(), and libraries of C abort.
[[noreturn]] void end_for_want_of_memory();

// How it is said from now on.
void say_want_of_memory_as(ErrorFormat format);

}  // namespace attn
