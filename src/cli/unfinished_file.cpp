#include "cli/unfinished_file.h"

#include <array>
#include <atomic>
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

// The names of the files, for the handler; null where there is none.
std::array<std::atomic<const char*>, UnfinishedFile::most_at_a_time> unfinished_names;
static_assert(std::atomic<const char*>::is_always_lock_free);

std::size_t how_many_unfinished = 0;

// The default is back before this runs, so that the program ends as the signal has it.
extern "C" void remove_unfinished(int number) {
  remove_unfinished_files();
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

// What errno is where a call failed, else 0.
int failure_of(int result) { return result == 0 ? 0 : errno; }

// Some file systems have nothing to put anything on, and say so.
bool can_sync(int why) { return why != EINVAL && why != ENOSYS && why != EOPNOTSUPP && why != EROFS; }

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& target, unsigned permissions)
    : target_(target), name_(target + ".XXXXXX"), permissions_(permissions) {
  if (how_many_unfinished++ == 0) handle_endings();
  const SignalsWait wait;
  descriptor_ = ::mkstemp(name_.data());
  if (descriptor_ < 0) return;
  place_ = 0;
  while (unfinished_names[place_].load()) ++place_;
  unfinished_names[place_] = name_.c_str();
}

UnfinishedFile::~UnfinishedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (place_ < most_at_a_time) {
    ::unlink(name_.c_str());
    unfinished_names[place_] = nullptr;
  }
  if (--how_many_unfinished == 0) handle_as_before();
}

int UnfinishedFile::finish() {
  if (const int why = failure_of(::fsync(descriptor_)); can_sync(why) && why != 0) return why;
  if (const int why = close()) return why;
  return take_name();
}

int UnfinishedFile::close() {
  if (descriptor_ < 0) return 0;
  if (const int why = failure_of(::fchmod(descriptor_, permissions_))) return why;
  return failure_of(::close(std::exchange(descriptor_, -1)));
}

int UnfinishedFile::flush_all() const {
  const int why = failure_of(::syncfs(descriptor_));
  return can_sync(why) ? why : 0;
}

int UnfinishedFile::take_name() {
  if (const int why = failure_of(std::rename(name_.c_str(), target_.c_str()))) return why;
  unfinished_names[std::exchange(place_, most_at_a_time)] = nullptr;
  return 0;
}

void remove_unfinished_files() {
  for (const std::atomic<const char*>& place : unfinished_names) {
    if (const char* const name = place.load()) ::unlink(name);
  }
}

}  // namespace attn
