#include "cli/progress.h"

#include <cstdlib>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/text.h"
#include "cli/console.h"

namespace attn {
namespace {

// Columns of the terminal that standard error is; 0 where it is none, or one
// that cannot rewrite a line.
std::size_t columns_of_errors() {
  const bool rewrites = is_terminal(STDERR_FILENO) && std::getenv("TERM") && !is_dumb();
  return rewrites ? terminal_size(STDERR_FILENO).columns : 0;
}

}  // namespace

std::string ProgressText::at(std::chrono::milliseconds passed, std::string_view what) {
  if (passed < next_) return "";
  const std::string line = "attn: " + printable(what);
  if (columns_ == 0) {
    next_ = passed + std::chrono::seconds(10);
    return line + "\n";
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  std::string shown = shortened(line + " (" + std::to_string(seconds) + " s)", columns_ - 1);
  if (shown == shown_) return "";
  shown_ = std::move(shown);
  return "\r" + shown_ + "\x1b[K";
}

std::string ProgressText::end() { return shown_.empty() ? "" : "\r\x1b[K"; }

StatusLine::StatusLine() : is_seen_(is_terminal(STDERR_FILENO)) {}

void StatusLine::tell(const std::string& text) const {
  if (is_seen_) say("\r\x1b[K" + text);
}

Progress::Progress(std::string what, bool may_be_long) : what_(std::move(what)) {
  if (!may_be_long) return;
  try {
    thread_ = std::thread([this, columns = columns_of_errors()] { keep_saying(columns); });
  } catch (const std::system_error&) {
    // Where no thread can be had, the work is done in silence.
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Progress::now(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::keep_saying(std::size_t columns) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between_looks(100);
  const Clock::time_point start = Clock::now();
  ProgressText text(columns);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, between_looks, [this] { return is_ended_; })) {
    const std::string said =
        text.at(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start), what_);
    if (!said.empty()) say(said);
  }
  if (const std::string last = text.end(); !last.empty()) say(last);
}

}  // namespace attn
