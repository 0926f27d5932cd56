#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/input_file.h"

namespace attn {

// Bytes in memory as a reader of files takes them: nothing is written to any disk.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // The same file with other bytes.
  InputFile opened(std::string_view bytes) const;

 private:
  int descriptor_;
  std::string path_;
};

// Bytes in memory, one after the other.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : ByteSource(bytes.size()), left_(bytes) {}

  bool is_certain() const override { return true; }
  std::optional<Diagnostic> read(std::span<char> into) override {
    if (into.size() > left_.size()) return file_fault("ends early", "copy it again");
    std::memcpy(into.data(), left_.data(), into.size());
    left_.remove_prefix(into.size());
    return std::nullopt;
  }
  std::optional<Diagnostic> finish() override { return std::nullopt; }

 private:
  std::string_view left_;
};

}  // namespace attn
