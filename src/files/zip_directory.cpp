#include "files/zip_directory.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attn {
namespace {

constexpr std::string_view end_magic = "PK\5\6";
constexpr std::string_view locator_magic = "PK\6\7";
constexpr std::string_view wide_end_magic = "PK\6\6";
constexpr std::string_view entry_magic = "PK\1\2";
constexpr std::size_t end_size = 22;
constexpr std::size_t locator_size = 20;
constexpr std::size_t wide_end_size = 56;
constexpr std::size_t entry_size = 46;

// Every record that looks like an end of the directory makes a reader try a
// whole directory; by chance there is hardly a second one.
constexpr std::size_t most_ends = 3;

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct Directory {
  std::uint64_t entries = 0, size = 0, offset = 0;
};

Diagnostic broken(std::string what) { return file_fault("is a broken zip archive: " + std::move(what)); }

std::optional<Diagnostic> wrong_entries(const InputFile& file, const Directory& directory) {
  std::string bytes(directory.size, '\0');
  if (auto fault = file.read(directory.offset, bytes)) return fault;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (bytes.size() - at < entry_size || bytes.compare(at, 4, entry_magic) != 0) {
      return broken("its directory has fewer entries than it says");
    }
    const std::size_t name = number_at(bytes, at + 28, 2);
    const std::size_t rest = name + number_at(bytes, at + 30, 2) + number_at(bytes, at + 32, 2);
    if (bytes.size() - at - entry_size < rest) return broken("an entry goes beyond its directory");
    if (std::string_view(bytes).substr(at + entry_size, name).find('\0') != std::string_view::npos) {
      return broken("a name holds the character NUL");
    }
    at += entry_size + rest;
  }
  return std::nullopt;
}

std::optional<Diagnostic> wrong_end(const InputFile& file, std::size_t at) {
  std::string before(std::min(at, locator_size), '\0');
  std::string end(end_size, '\0');
  if (auto fault = file.read(at - before.size(), before)) return fault;
  if (auto fault = file.read(at, end)) return fault;
  Directory directory{number_at(end, 10, 2), number_at(end, 12, 4), number_at(end, 16, 4)};
  if (before.size() == locator_size && before.starts_with(locator_magic)) {
    const std::uint64_t wide_at = number_at(before, 8, 8);
    if (wide_at > file.size() || file.size() - wide_at < wide_end_size) return broken("its end points beyond the file");
    std::string wide(wide_end_size, '\0');
    if (auto fault = file.read(wide_at, wide)) return fault;
    if (!wide.starts_with(wide_end_magic)) return broken("its end points to something else");
    // What libraries read of the two ends differs; they have to agree.
    const Directory wider{number_at(wide, 32, 8), number_at(wide, 40, 8), number_at(wide, 48, 8)};
    if (directory.entries != 0xFFFF && directory.entries != wider.entries) return broken("its two ends contradict");
    directory = wider;
  }
  if (directory.size > file.size() || directory.offset > file.size() - directory.size) {
    return broken("its directory would be beyond the file");
  }
  if (directory.entries > directory.size / entry_size) {
    return broken("it says that it has " + std::to_string(directory.entries) + " entries, and its directory has " +
                  std::to_string(directory.size) + " bytes");
  }
  return wrong_entries(file, directory);
}

}  // namespace

std::optional<Diagnostic> wrong_zip_directory(const InputFile& file) {
  constexpr std::size_t longest_comment = 0xFFFF;
  const std::size_t tail_size = std::min(file.size(), end_size + longest_comment + locator_size);
  std::string tail(tail_size, '\0');
  if (auto fault = file.read(file.size() - tail_size, tail)) return fault;

  std::vector<std::size_t> ends;
  for (std::size_t at = tail.find(end_magic); at != std::string::npos; at = tail.find(end_magic, at + 1)) {
    if (tail.size() - at >= end_size) ends.push_back(file.size() - tail_size + at);
  }
  if (ends.empty()) {
    return file_fault(tail.empty() ? "is empty" : "is no zip archive, or lacks the end of one, as .npz files are");
  }
  if (ends.size() > most_ends) return broken("it ends more than once");
  // All of them but the last may stand in somebody's numbers by chance; they must do no harm, no more.
  for (const std::size_t end : ends) {
    auto fault = wrong_end(file, end);
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace attn
