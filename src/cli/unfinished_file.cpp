#include "cli/unfinished_file.h"

#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace attn {
namespace {

// What ends a program that does nothing about it.
constexpr auto ending_signals = std::to_array<int>({SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU});

// The name of the file, for the handler; null where there is none.
std::atomic<const char*> unfinished_name = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

// The default is back before this runs, so that the program ends as the signal has it.
extern "C" void remove_unfinished(int number) {
  if (const char* const name = unfinished_name.load()) ::unlink(name);
  std::raise(number);
}

// What was done about each of the signals before; what was ignored stays so.
std::array<struct sigaction, ending_signals.size()> handled_before;

void handle_endings() {
  struct sigaction removing {};
  removing.sa_handler = remove_unfinished;
  removing.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&removing.sa_mask);
  for (std::size_t i = 0; i < ending_signals.size(); ++i) {
    ::sigaction(ending_signals[i], nullptr, &handled_before[i]);
    if (handled_before[i].sa_handler != SIG_IGN) ::sigaction(ending_signals[i], &removing, nullptr);
  }
}

void handle_as_before() {
  for (std::size_t i = 0; i < ending_signals.size(); ++i) ::sigaction(ending_signals[i], &handled_before[i], nullptr);
}

// Puts the signals off as long as it lives.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t endings;
    sigemptyset(&endings);
    for (const int number : ending_signals) sigaddset(&endings, number);
    ::pthread_sigmask(SIG_BLOCK, &endings, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& target) : target_(target), name_(target + ".XXXXXX") {
  assert(!unfinished_name.load());
  handle_endings();
  const SignalsWait wait;
  descriptor_ = ::mkstemp(name_.data());
  if (descriptor_ >= 0) unfinished_name = name_.c_str();
}

UnfinishedFile::~UnfinishedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (unfinished_name.load()) ::unlink(name_.c_str());
  unfinished_name = nullptr;
  handle_as_before();
}

int UnfinishedFile::finish(unsigned permissions) {
  if (::fchmod(descriptor_, permissions) != 0) return errno;
  if (::close(std::exchange(descriptor_, -1)) != 0) return errno;
  if (std::rename(name_.c_str(), target_.c_str()) != 0) return errno;
  unfinished_name = nullptr;
  return 0;
}

}  // namespace attn
