#pragma once

#include <cstddef>
#include <string>

namespace attn {

// A file on its way: it has another name, beside the one that it is to have, until everything
// is in it and on the disk. Where it is not finished it goes, also where a signal ends the
// program meanwhile: Ctrl-C, SIGTERM, SIGHUP.
class UnfinishedFile {
 public:
  static constexpr std::size_t most_at_a_time = 256;

  // REQUIRES: there are fewer than that.
  UnfinishedFile(const std::string& target, unsigned permissions);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Open for writing; negative where it could not be made, and errno says why.
  int descriptor() const { return descriptor_; }

  // Gives it its permissions and its own name, once it is on the disk: whenever the power fails,
  // under that name is the whole file, or what was there before. Returns what errno is where that
  // cannot be, else 0.
  int finish();

  // The same for many files in one file system, in the time of a few: each is closed but the
  // last, all are on the disk after flush_all() of that one, and then each takes its name.
  int close();
  int flush_all() const;
  int take_name();

 private:
  std::string target_, name_;
  unsigned permissions_;
  int descriptor_ = -1;
  std::size_t place_ = most_at_a_time;  // of its name, for the handler of signals
};

// Takes away what is not finished, for a program that ends at once: as a handler of signals may.
void remove_unfinished_files();

}  // namespace attn
