#include "reading/text_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

#include "files/input_file.h"

namespace attn {
namespace {

Diagnostic unreadable(std::string message, std::string help = "") {
  return {.code = "unreadable", .where = "", .message = std::move(message), .help = std::move(help)};
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// A device can go on for ever.
constexpr std::size_t most_bytes = std::size_t{1} << 31;

// `expected` bytes make no string grow, which would hold them twice.
Result<std::string> read_all(std::FILE* file, std::size_t expected = 0) {
  std::string text;
  text.reserve(std::min(expected, most_bytes));
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
    if (text.size() + count > most_bytes) return unreadable("the file has more than 2 GiB");
    text.append(buffer.data(), count);
    if (count == buffer.size()) continue;
    if (std::ferror(file)) return unreadable(std::string("the file cannot be read: ") + std::strerror(errno));
    if (std::feof(file)) return text;
  }
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  if (path == "-") {
    remember_read(::fileno(stdin), "standard input");
    return read_all(stdin);
  }

  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int reason = errno;
    if (reason == ENOENT) return unreadable("there is no such file", "is the path relative to another folder?");
    return unreadable(std::string("the file cannot be read: ") + std::strerror(reason));
  }
  if (S_ISDIR(status.st_mode)) return unreadable("this is a directory, not a file", "name a file in it");

  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return unreadable(std::string("the file cannot be read: ") + std::strerror(errno));
  remember_read(::fileno(file.get()), path);
  return read_all(file.get(), static_cast<std::size_t>(std::max<off_t>(0, status.st_size)));
}

}  // namespace attn
