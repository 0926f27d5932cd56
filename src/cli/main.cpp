#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cli/asked.h"
#include "cli/console.h"
#include "cli/memory_shortage.h"

int main(int argc, char** argv) {
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
