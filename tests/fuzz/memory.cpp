#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "harness.h"

namespace attn {

MemoryFile::MemoryFile()
    : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  demand(descriptor_ >= 0, "there is memory for a file");
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

InputFile MemoryFile::opened(std::string_view bytes) const {
  const auto size = static_cast<ssize_t>(bytes.size());
  demand(::ftruncate(descriptor_, size) == 0 && ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == size,
         "there is memory for a file");
  Result<InputFile> file = InputFile::open(path_);
  demand(static_cast<bool>(file), "a file in memory is opened");
  return std::move(file.value());
}

}  // namespace attn
