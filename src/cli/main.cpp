#include <algorithm>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <new>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "backend/backend.h"
#include "cli/asked.h"
#include "cli/console.h"
#include "cli/memory_shortage.h"

namespace {

// Where a standard stream is closed, the next file that is opened would take its place: a file would get what is said,
// or a stream be said to be written that nobody reads. Nothing can be read from what stands there now, nor written.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error like any other: it is said, and nothing is left
  const std::span typed(argv + std::min(argc, 1), argv + argc);
  const attn::ErrorFormat errors = attn::format_of_errors(typed);
  attn::say_want_of_memory_as(errors);
  const std::vector<std::string> words(typed.begin(), typed.end());
  try {
    return static_cast<int>(attn::asked_for(words)());
  } catch (const attn::Refusal& refusal) {
    return static_cast<int>(refusal.say(errors, words, attn::options_with_values(words)));
  } catch (const attn::BackendError& error) {
    attn::Refusal(error.fault()).say(errors);
  } catch (const std::bad_alloc&) {
    attn::end_for_want_of_memory();
  } catch (const std::exception& error) {
    attn::Refusal(std::string("this should not have happened: ") + error.what(),
                  "this is a defect of attn: keep the command and its files, and report them")
        .say(errors);
  }
  return static_cast<int>(attn::Exit::wrong_environment);
}
