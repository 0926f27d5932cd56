#pragma once

#include <string>

namespace attn {

// A file on its way: it has another name, beside the one that it is to have, until
// everything is in it. Where it is not finished it goes, also where a signal ends the
// program meanwhile: Ctrl-C, SIGTERM, SIGHUP. There is one at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& target);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Open for writing; negative where it could not be made, and errno says why.
  int descriptor() const { return descriptor_; }

  // Gives it these permissions and its own name. Returns what errno is where that cannot be, else 0.
  int finish(unsigned permissions);

 private:
  std::string target_, name_;
  int descriptor_ = -1;
};

}  // namespace attn
