#pragma once

#include <compare>
#include <cstddef>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

#include "base/result.h"
#include "files/hard_links.h"

namespace attn {

// What is wrong with a file, as the end of a sentence that its name begins.
Diagnostic file_fault(std::string message, Help help, std::string_view code = "bad-file");

// What is wrong with a file that the system does not give, by errno, as the whole sentence of a fault.
// Its code is "machine" where nothing is wrong with the file, nor with who asks for it: too many
// files are open, or the disk fails. A program's exit code tells the two apart.
Diagnostic refused_by_system(std::string what, int reason, std::string_view code);

// Whether a machine says so that is short of something, or broken.
bool is_fault_of_machine(int reason);

// A regular file, open for reading.
class InputFile {
 public:
  // Waits for nothing: a pipe or a device is refused before a byte is read.
  // What is opened counts as read.
  static Result<InputFile> open(const std::string& path);

  // The same below a folder; see open_tensor_file_within.
  static Result<InputFile> open_within(const std::string& folder, const std::string& path, HardLinks links);

  // Why that refuses a path whatever stands there: it says itself that it leads out of its folder.
  static std::optional<Diagnostic> leads_out(const std::string& path);

  InputFile(InputFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), state_(std::exchange(other.state_, {})) {}
  ~InputFile() { rest(); }

  std::size_t size() const { return state_.size; }

  // Which file it is, and as what it was opened: of two of one state the second is the first once more.
  struct State {
    dev_t device = 0;
    ino_t number = 0;
    std::time_t seconds = 0;  // when it was last changed
    long nanoseconds = 0;
    std::size_t size = 0;

    auto operator<=>(const State&) const = default;
  };
  const State& state() const { return state_; }

  // Closes it; nothing is read until it is resumed. A process may have so many files open at a time and no more.
  void rest();

  // Goes on with what was opened anew, and leaves nothing there, if that is the same file and has not been written
  // since.
  bool resume(InputFile& anew);

  // Fills `into` with what stands from `offset` on, or says why not.
  std::optional<Diagnostic> read(std::size_t offset, std::span<char> into) const;

 private:
  explicit InputFile(int descriptor) : descriptor_(descriptor) {}
  static Result<InputFile> checked(int descriptor, const std::string& path, HardLinks links = HardLinks::read);

  int descriptor_ = -1;
  State state_;
};

// Which file a path leads to, the same by whatever name, through whatever links:
// a regular file's device and number; the resolved path where nothing is there
// yet; "" for devices and pipes, of which every opening is another.
std::string file_identity(const std::string& path);

// Remembers a regular file that is open for reading, under the name it was asked
// for by. This is the process's own record: nothing is to be written over what it has read.
void remember_read(int descriptor, const std::string& name);

// The name by which the file that the path leads to was read, if it was.
std::optional<std::string> name_of_read(const std::string& path);

// For a file that is read to be brought up to date.
void forget_read(const std::string& path);

// Bytes one after the other, of a known number: a part of a file, or what is
// unpacked from it.
class ByteSource {
 public:
  explicit ByteSource(std::size_t size) : size_(size) {}
  virtual ~ByteSource() = default;

  // How many it says it has.
  std::size_t size() const { return size_; }

  // Whether they are there for certain, or only promised.
  virtual bool is_certain() const = 0;

  // Fills `into` with the next bytes, or says why not.
  virtual std::optional<Diagnostic> read(std::span<char> into) = 0;

  // Passes over so many bytes.
  virtual std::optional<Diagnostic> skip(std::size_t bytes);

  // Says what is wrong if this is not the end.
  virtual std::optional<Diagnostic> finish() = 0;

 private:
  std::size_t size_;
};

// A part of a file. REQUIRES: the part is within it, and the file outlives the source.
class FilePart : public ByteSource {
 public:
  FilePart(const InputFile& file, std::size_t offset, std::size_t size)
      : ByteSource(size), file_(file), offset_(offset) {}

  bool is_certain() const override { return true; }
  std::optional<Diagnostic> read(std::span<char> into) override {
    offset_ += into.size();
    return file_.read(offset_ - into.size(), into);
  }
  std::optional<Diagnostic> skip(std::size_t bytes) override {
    offset_ += bytes;
    return std::nullopt;
  }
  std::optional<Diagnostic> finish() override { return std::nullopt; }

 private:
  const InputFile& file_;
  std::size_t offset_;
};

}  // namespace attn
