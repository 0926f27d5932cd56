#pragma once

namespace attn {

// Sees to it that a library that was loaded, of C, fails as the rest of the program does. What it
// asks memory for, it believes to get: where there is none the handler that std::set_new_handler()
// was given is called, as by operator new. And it believes that what it writes to its files for the
// while arrives there: whether all did is remembered. So it is of the library that has `of_another`,
// a function that it calls. False where they cannot be reached so.
bool watch(void* library, const char* of_another);

// Whether a file of a watched library lost something since this was asked last, in this thread.
bool lost_some_of_its_files();

}  // namespace attn
