#include "files/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace attn {
namespace {

namespace fs = std::filesystem;

constexpr int reading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Diagnostic unreadable(int reason) {
  if (reason == ENOENT || reason == ENOTDIR)
    return file_fault("is not there", "paths are relative to the folder of the problem", "no-file");
  if (reason == ELOOP) return file_fault("is a link that leads nowhere", "put the file itself there", "no-file");
  return refused_by_system("cannot be read", reason, "no-file");
}

Diagnostic outside() {
  return file_fault("is outside the folder of the problem, where nothing is read",
                    "copy it beside the problem, or name the folder that it is in: --root DIR", "outside");
}

Diagnostic linked() {
  return file_fault(
      "is a hard link: it has another name, perhaps outside the folder of the problem, where nothing is read",
      "copy it, or name the folder that it is in: --root DIR", "linked");
}

Diagnostic is_folder() { return file_fault("is a folder, not a file", "name a file in it"); }

// Opens each part of a path in turn without following links: a link that is put
// there after the path was looked up leads nowhere.
int open_below(int folder, const fs::path& path) {
  int at = folder;
  for (auto part = path.begin(); part != path.end() && at >= 0; ++part) {
    const bool last = std::next(part) == path.end();
    const int next = ::openat(at, part->c_str(), O_NOFOLLOW | (last ? reading : O_PATH | O_DIRECTORY | O_CLOEXEC));
    const int reason = errno;
    ::close(at);
    errno = reason;
    at = next;
  }
  return at;
}

std::string identity(const struct stat& status) {
  return S_ISREG(status.st_mode) ? std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) : "";
}

// What this process has read.
std::mutex names_read_mutex;
std::map<std::string, std::string> names_read;  // by identity

}  // namespace

Diagnostic file_fault(std::string message, Help help, std::string_view code) {
  return {.code = std::string(code), .message = std::move(message), .help = std::move(help)};
}

bool is_fault_of_machine(int reason) {
  constexpr int faults[] = {EIO, EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN, ESTALE, ETIMEDOUT, ENOSPC, EREMOTEIO};
  return std::ranges::count(faults, reason) > 0;
}

Diagnostic refused_by_system(std::string what, int reason, std::string_view code) {
  what += std::string(": ") + std::strerror(reason);
  if (is_fault_of_machine(reason))
    return file_fault(std::move(what), "it is this machine that cannot: try again, or copy the file elsewhere",
                      "machine");
  if (reason == ENAMETOOLONG) return file_fault(std::move(what), "no file can be called so", code);
  if (reason == ENXIO) return file_fault(std::move(what), "it is no file that has a content: name another", code);
  return file_fault(std::move(what), "may you read it? ls -l tells", code);
}

Result<InputFile> InputFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) return unreadable(ENOENT);
  return checked(::open(path.c_str(), reading), path);
}

std::optional<Diagnostic> InputFile::leads_out(const std::string& path) {
  const fs::path asked(path);
  const fs::path plain = asked.lexically_normal();
  return asked.is_absolute() || (!plain.empty() && plain.begin()->string() == "..") ? std::optional(outside())
                                                                                    : std::nullopt;
}

Result<InputFile> InputFile::open_within(const std::string& folder, const std::string& path, HardLinks links) {
  if (path.empty() || path.find('\0') != std::string::npos) return unreadable(ENOENT);
  if (auto fault = leads_out(path)) return *std::move(fault);

  const fs::path asked(path);
  std::error_code error;
  const fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
  if (error) return unreadable(error.value());
  const fs::path found = fs::canonical(base / asked, error);
  if (error) return unreadable(error.value());
  const auto [end_of_base, rest] = std::mismatch(base.begin(), base.end(), found.begin(), found.end());
  if (end_of_base != base.end()) return outside();

  fs::path below;
  for (auto part = rest; part != found.end(); ++part) below /= *part;
  if (below.empty()) return is_folder();
  const int start = ::open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  return checked(start < 0 ? start : open_below(start, below), path, links);
}

Result<InputFile> InputFile::checked(int descriptor, const std::string& path, HardLinks links) {
  if (descriptor < 0) return unreadable(errno);
  InputFile file(descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return unreadable(errno);
  if (S_ISDIR(status.st_mode)) return is_folder();
  if (!S_ISREG(status.st_mode))
    return file_fault("is no regular file, but a pipe or a device", "write it to a file first");
  if (links == HardLinks::refused && status.st_nlink > 1) return linked();
  remember_read(descriptor, path);
  file.state_ = {status.st_dev, status.st_ino, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                 static_cast<std::size_t>(status.st_size)};
  return file;
}

void InputFile::rest() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool InputFile::resume(InputFile& anew) {
  if (state_ != anew.state_) return false;
  rest();
  descriptor_ = std::exchange(anew.descriptor_, -1);
  return true;
}

std::optional<Diagnostic> InputFile::read(std::size_t offset, std::span<char> into) const {
  while (!into.empty()) {
    const ssize_t count = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(errno);
    if (count == 0)
      return file_fault("ends after " + std::to_string(offset) + " bytes, and more are wanted",
                        "it was cut short on its way: copy or write it again");
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
  return std::nullopt;
}

std::string file_identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return identity(status);
  std::error_code error;
  const std::filesystem::path resolved =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : resolved.string();
}

void remember_read(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::lock_guard lock(names_read_mutex);
  names_read.emplace(identity(status), name);
}

std::optional<std::string> name_of_read(const std::string& path) {
  const std::lock_guard lock(names_read_mutex);
  const auto found = names_read.find(file_identity(path));
  if (found == names_read.end()) return std::nullopt;
  return found->second;
}

void forget_read(const std::string& path) {
  const std::lock_guard lock(names_read_mutex);
  names_read.erase(file_identity(path));
}

std::optional<Diagnostic> ByteSource::skip(std::size_t bytes) {
  std::array<char, 1 << 14> passed;
  while (bytes > 0) {
    const std::size_t some = std::min(bytes, passed.size());
    if (auto fault = read(std::span(passed).first(some))) return fault;
    bytes -= some;
  }
  return std::nullopt;
}

}  // namespace attn
