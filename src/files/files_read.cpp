#include "files/files_read.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace attn {
namespace {

std::string identity(const struct stat& status) {
  return S_ISREG(status.st_mode) ? std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) : "";
}

struct FilesRead {
  std::mutex mutex;
  std::map<std::string, std::string> names;  // by identity

  static FilesRead& of_this_process() {
    static FilesRead all;
    return all;
  }
};

}  // namespace

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
  FilesRead& all = FilesRead::of_this_process();
  const std::lock_guard lock(all.mutex);
  all.names.emplace(identity(status), name);
}

std::optional<std::string> name_of_read(const std::string& path) {
  FilesRead& all = FilesRead::of_this_process();
  const std::lock_guard lock(all.mutex);
  const auto found = all.names.find(file_identity(path));
  if (found == all.names.end()) return std::nullopt;
  return found->second;
}

void forget_read(const std::string& path) {
  FilesRead& all = FilesRead::of_this_process();
  const std::lock_guard lock(all.mutex);
  all.names.erase(file_identity(path));
}

}  // namespace attn
