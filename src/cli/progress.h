#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace attn {

// When work takes time, what a person is told of it: nothing for the first
// second. Then on a terminal one line, which is kept up to date; elsewhere a line
// every ten seconds.
class ProgressText {
 public:
  // Columns of the terminal; 0 where there is none.
  explicit ProgressText(std::size_t columns) : columns_(columns) {}

  // What is written once so much time has passed and this is being done; mostly nothing.
  std::string at(std::chrono::milliseconds passed, std::string_view what);

  // What is written at the end: a terminal is left as it was.
  std::string end();

 private:
  std::size_t columns_;
  std::chrono::milliseconds next_{1000};  // when something is said
  std::string shown_;
};

// On a terminal, a line on standard error that the next one takes the place of; it goes
// at the end.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { tell(""); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void tell(const std::string& text) const;

 private:
  bool is_seen_;
};

// Says on standard error what is being done, from its making to its end, if
// that is long enough. Nothing else may be written there meanwhile, nor to
// standard output where that is a terminal.
class Progress {
 public:
  // Of work that is surely short it says nothing.
  Progress(std::string what, bool may_be_long);
  ~Progress();

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void now(std::string what);

 private:
  void keep_saying(std::size_t columns);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::string what_;
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace attn
