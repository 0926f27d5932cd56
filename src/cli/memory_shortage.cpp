#include "cli/memory_shortage.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <unistd.h>

#include "base/memory_shortage.h"
#include "cli/terminal.h"
#include "cli/unfinished_file.h"

namespace attn {
namespace {

// Each as Refusal::say() would say it, if it had the memory.
constexpr std::array<std::string_view, 2> messages = {
    "attn: error: memory is short\n"
    "  help: a smaller problem, or a machine with more memory\n",
    R"({"schema": "attn/error/1", "errors": [{"file": null, "line": null, "column": null, "pointer": null, )"
    R"("message": "memory is short", "help": "a smaller problem, or a machine with more memory"}]})"
    "\n"};

constinit std::atomic<ErrorFormat> format_of_message = ErrorFormat::text;

// Before the objects of this program are constructed, whatever file they stand in.
#ifdef __GLIBC__  // which tells constructors what it tells main()
__attribute__((constructor(101))) void end_so_wherever_memory_is_short(int count, char** words) {
  format_of_message = format_of_errors({words, static_cast<std::size_t>(count)});
#else
__attribute__((constructor(101))) void end_so_wherever_memory_is_short() {
#endif
  std::set_new_handler(end_for_want_of_memory);
  let_math_end_as_new_does();
}

}  // namespace

void say_want_of_memory_as(ErrorFormat format) { format_of_message = format; }

void end_for_want_of_memory() {
  static constinit std::atomic<bool> is_ending = false;
  while (is_ending.exchange(true)) ::pause();  // another thread has said so, and is about to end the program
  leave_terminal();
  remove_unfinished_files();
  const std::string_view message = messages[static_cast<std::size_t>(format_of_message.load())];
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(static_cast<int>(Exit::wrong_environment));
}

}  // namespace attn
