#include "reading/text_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "files/input_file.h"

namespace attn {
namespace {

Diagnostic unreadable(std::string message, Help help) {
  return {.code = "unreadable", .where = "", .message = std::move(message), .help = std::move(help)};
}

Diagnostic unreadable(int reason) { return refused_by_system("the file cannot be read", reason, "unreadable"); }

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string help_for_missing(const std::string& path) {
  const std::filesystem::path asked(path);
  const auto meant =
      closest_file(asked.parent_path().string(), asked.filename().string(), [](const std::string&) { return true; });
  if (!meant) return "is the path relative to another folder?";
  if (*meant == asked.filename()) return "it is a link, and what it leads to is not there";
  return "did you mean `" + printable((asked.parent_path() / *meant).string()) + "`?";
}

// A pipe can go on for ever.
constexpr std::size_t most_bytes = std::size_t{1} << 31;

// And so do devices, in which nobody has a file: what is typed or nothing is all that is read of one.
constexpr std::size_t most_bytes_of_device = std::size_t{1} << 20;

// `expected` bytes make no string grow, which would hold them twice.
Result<std::string> read_all(std::FILE* file, std::size_t expected, bool is_device) {
  std::string text;
  text.reserve(std::min(expected, most_bytes));
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
    if (is_device && text.size() + count > most_bytes_of_device)
      return unreadable("this is a device, which gives more than 1 MiB", "name a file");
    if (text.size() + count > most_bytes)
      return unreadable("the file has more than 2 GiB",
                        "put large tensors into .npy or .safetensors files: {\"file\": \"x.npy\"}");
    text.append(buffer.data(), count);
    if (count == buffer.size()) continue;
    if (std::ferror(file)) return unreadable(errno);
    if (std::feof(file)) return text;
  }
}

}  // namespace

std::optional<std::string> closest_file(const std::string& folder, std::string_view typed,
                                        bool (*is_asked_for)(const std::string& name)) {
  constexpr std::size_t most_looked_at = 1000;
  std::vector<std::string> known;
  std::error_code error;
  auto entry = std::filesystem::directory_iterator(folder.empty() ? "." : folder, error);
  for (std::size_t i = 0; !error && entry != std::filesystem::directory_iterator() && i < most_looked_at; ++i) {
    std::string name = entry->path().filename().string();
    if (is_asked_for(name)) known.push_back(std::move(name));
    entry.increment(error);
  }
  std::ranges::sort(known);
  return closest(typed, known);
}

Result<std::string> read_text(const std::string& path) {
  if (path == "-") {
    remember_read(::fileno(stdin), "standard input");
    struct stat status {};
    return read_all(stdin, 0, ::fstat(::fileno(stdin), &status) == 0 && S_ISCHR(status.st_mode));
  }

  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int reason = errno;
    if (reason == ENOENT) return unreadable("there is no such file", help_for_missing(path));
    return unreadable(reason);
  }
  if (S_ISDIR(status.st_mode)) return unreadable("this is a directory, not a file", "name a file in it");

  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return unreadable(errno);
  remember_read(::fileno(file.get()), path);
  return read_all(file.get(), static_cast<std::size_t>(std::max<off_t>(0, status.st_size)), S_ISCHR(status.st_mode));
}

Result<std::string> read_writing(const std::string& path) {
  Result<std::string> text = read_text(path);
  if (!text) return text;
  if (auto converted = from_utf16(text.value())) text = std::move(*converted);
  if (text.value().find('\n') == std::string::npos) std::ranges::replace(text.value(), '\r', '\n');
  return text;
}

}  // namespace attn
