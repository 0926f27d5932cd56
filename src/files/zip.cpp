#include "files/zip.h"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <zlib.h>

namespace attn {
namespace {

constexpr std::string_view header_magic = "PK\3\4";
constexpr std::string_view entry_magic = "PK\1\2";
constexpr std::string_view end_magic = "PK\5\6";
constexpr std::string_view wide_end_magic = "PK\6\6";
constexpr std::string_view locator_magic = "PK\6\7";
constexpr std::size_t header_size = 30;
constexpr std::size_t entry_size = 46;
constexpr std::size_t end_size = 22;
constexpr std::size_t wide_end_size = 56;
constexpr std::size_t locator_size = 20;

constexpr std::uint64_t elsewhere = 0xFFFFFFFF;  // a size that stands in the zip64 part

constexpr unsigned encrypted = 1, sized_behind = 8;  // of the flags
constexpr unsigned stored = 0, deflated = 8;         // of the methods

// `size` bytes of a record as a number, the lowest first.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

constexpr char copy_again[] = "it was cut short or changed on its way: copy it again, or write it with numpy.savez";

Diagnostic broken(std::string what) { return file_fault("is a broken zip archive: " + std::move(what), copy_again); }

Diagnostic broken_entry(const std::string& shown, const std::string& why) {
  return file_fault("has a broken entry " + shown + ": " + why, copy_again);
}

struct Directory {
  std::uint64_t entries = 0, size = 0, offset = 0;
};

// Takes the numbers that are too large for their place from the zip64 part of the
// extra fields. False where they are not there.
bool widen(ZipEntry& entry, std::string_view extra) {
  constexpr std::uint64_t zip64 = 1;
  std::string_view wide;
  while (extra.size() >= 4) {
    const std::size_t size = number_at(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (number_at(extra, 0, 2) == zip64 && wide.empty()) wide = extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  for (std::uint64_t* number : {&entry.size, &entry.packed, &entry.offset}) {
    if (*number != elsewhere) continue;
    if (wide.size() < 8) return false;
    *number = number_at(wide, 0, 8);
    wide.remove_prefix(8);
  }
  return true;
}

Result<std::vector<ZipEntry>> entries_of(const InputFile& file, const Directory& directory) {
  std::string bytes(directory.size, '\0');
  if (auto fault = file.read(directory.offset, bytes)) return *std::move(fault);
  std::vector<ZipEntry> entries;
  std::string_view left = bytes;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (left.size() < entry_size || !left.starts_with(entry_magic)) {
      return broken("its directory has fewer entries than it says");
    }
    const std::size_t name = number_at(left, 28, 2);
    const std::size_t extra = number_at(left, 30, 2);
    const std::size_t rest = name + extra + number_at(left, 32, 2);
    if (left.size() - entry_size < rest) return broken("an entry goes beyond its directory");
    ZipEntry entry{.name = std::string(left.substr(entry_size, name)),
                   .flags = static_cast<std::uint16_t>(number_at(left, 8, 2)),
                   .method = static_cast<std::uint16_t>(number_at(left, 10, 2)),
                   .checksum = static_cast<std::uint32_t>(number_at(left, 16, 4)),
                   .packed = number_at(left, 20, 4),
                   .size = number_at(left, 24, 4),
                   .offset = number_at(left, 42, 4)};
    if (entry.name.find('\0') != std::string::npos) return broken("a name holds the character NUL");
    if (!widen(entry, left.substr(entry_size + name, extra))) return broken("an entry has no size");
    entries.push_back(std::move(entry));
    left.remove_prefix(entry_size + rest);
  }
  if (!left.empty()) return broken("its directory has more than its entries");
  return entries;
}

// What the end of the directory, which stands at `at`, says of it.
Result<Directory> directory_of(const InputFile& file, std::size_t at) {
  std::string before(std::min(at, locator_size), '\0');
  std::string end(end_size, '\0');
  if (auto fault = file.read(at - before.size(), before)) return *std::move(fault);
  if (auto fault = file.read(at, end)) return *std::move(fault);
  Directory directory{number_at(end, 10, 2), number_at(end, 12, 4), number_at(end, 16, 4)};
  if (before.size() == locator_size && before.starts_with(locator_magic)) {
    const std::uint64_t wide_at = number_at(before, 8, 8);
    if (wide_at > file.size() || file.size() - wide_at < wide_end_size) return broken("its end points beyond the file");
    std::string wide(wide_end_size, '\0');
    if (auto fault = file.read(wide_at, wide)) return *std::move(fault);
    if (!wide.starts_with(wide_end_magic)) return broken("its end points to something else");
    // What readers take from the two ends differs; they have to agree.
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
  return directory;
}

class Unpacked : public ByteSource {
 public:
  // The packed bytes begin at `begin`.
  Unpacked(const InputFile& file, const ZipEntry& entry, std::size_t begin, std::string shown)
      : ByteSource(entry.size),
        file_(file),
        is_deflated_(entry.method == deflated),
        checksum_(entry.checksum),
        at_(begin),
        end_(begin + entry.packed),
        left_(entry.size),
        shown_(std::move(shown)) {
    if (is_deflated_ && inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() override {
    if (is_deflated_) inflateEnd(&stream_);
  }

  bool is_certain() const override { return !is_deflated_; }

  std::optional<Diagnostic> read(std::span<char> into) override {
    while (!into.empty()) {
      std::size_t count = 0;
      if (auto fault = next(into, count)) return fault;
      if (count == 0) return broken_entry(shown_, "it ends " + std::to_string(left_) + " bytes early");
      left_ -= count;
      into = into.subspan(count);
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> finish() override {
    char more = 0;
    std::size_t count = 0;
    if (auto fault = next({&more, 1}, count)) return fault;
    if (count > 0) return broken_entry(shown_, "it unpacks to more than it says");
    if (so_far_ != checksum_) return broken_entry(shown_, "its checksum is that of other bytes");
    return std::nullopt;
  }

 private:
  // Some of the next bytes, at least one; `count` is 0 at the end.
  std::optional<Diagnostic> next(std::span<char> into, std::size_t& count) {
    auto fault = is_deflated_ ? inflate_some(into, count) : read_packed(into, count);
    so_far_ = static_cast<std::uint32_t>(crc32_z(so_far_, reinterpret_cast<const Bytef*>(into.data()), count));
    return fault;
  }

  std::optional<Diagnostic> read_packed(std::span<char> into, std::size_t& count) {
    count = std::min(into.size(), end_ - at_);
    at_ += count;
    return file_.read(at_ - count, into.first(count));
  }

  std::optional<Diagnostic> inflate_some(std::span<char> into, std::size_t& count) {
    const std::size_t room = std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(room);
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        std::size_t fresh = 0;
        if (auto fault = read_packed(packed_, fresh)) return fault;
        stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
        stream_.avail_in = static_cast<uInt>(fresh);
      }
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      if (code == Z_STREAM_END || code == Z_BUF_ERROR) break;
      if (code != Z_OK) return broken_entry(shown_, "it cannot be unpacked");
    }
    count = room - stream_.avail_out;
    return std::nullopt;
  }

  const InputFile& file_;
  bool is_deflated_;
  std::uint32_t checksum_, so_far_ = 0;
  std::size_t at_, end_;  // of the packed bytes that have not been read
  std::size_t left_;
  std::string shown_;
  z_stream stream_ = {};
  std::array<char, std::size_t{1} << 16> packed_;
};

// What cannot be unpacked, or cannot be true of the bytes there are.
std::optional<Diagnostic> wrong_entry(const InputFile& file, const ZipEntry& entry, const std::string& shown) {
  // A byte of deflate makes 1032 at most; the first few make none.
  constexpr std::uint64_t most_from_a_byte = 1032;
  if ((entry.flags & encrypted) != 0)
    return file_fault("has an encrypted entry " + shown + ", which cannot be read",
                      "unpack it with its password, and write it with numpy.savez");
  if (entry.method != stored && entry.method != deflated) {
    return file_fault(
        "packs " + shown + " by method " + std::to_string(entry.method) + "; stored (0) and deflated (8) can be read",
        "numpy.savez and numpy.savez_compressed write these");
  }
  if (entry.packed > file.size() ||
      (entry.method == stored ? entry.size != entry.packed : entry.size / most_from_a_byte > entry.packed)) {
    return broken_entry(shown, std::to_string(entry.size) + " bytes cannot be in " +
                                   std::to_string(std::min<std::uint64_t>(entry.packed, file.size())));
  }
  return std::nullopt;
}

// Whether what stands before the packed bytes says the same as the directory.
bool agrees(std::string_view header, std::string_view name, const ZipEntry& entry) {
  const auto same = [&](std::size_t at, std::uint64_t wanted) {
    const std::uint64_t found = number_at(header, at, 4);
    return found == wanted || found == elsewhere;
  };
  const std::uint64_t flags = number_at(header, 6, 2);
  const bool has_sizes = (flags & sized_behind) == 0;
  return header.starts_with(header_magic) && (flags & encrypted) == 0 && number_at(header, 8, 2) == entry.method &&
         name == entry.name &&
         (!has_sizes || (same(14, entry.checksum) && same(18, entry.packed) && same(22, entry.size)));
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip_directory(const InputFile& file) {
  constexpr std::size_t longest_comment = 0xFFFF;
  const std::size_t tail_size = std::min(file.size(), end_size + longest_comment);
  std::string tail(tail_size, '\0');
  if (auto fault = file.read(file.size() - tail_size, tail)) return *std::move(fault);

  // An end is one only if its comment goes to the end of the file.
  std::optional<std::size_t> end;
  for (std::size_t at = tail.find(end_magic); at != std::string::npos; at = tail.find(end_magic, at + 1)) {
    const std::size_t behind = tail.size() - at;
    if (behind < end_size || number_at(tail, at + 20, 2) != behind - end_size) continue;
    if (end) return broken("it ends more than once");
    end = file.size() - behind;
  }
  if (!end)
    return file_fault(tail.empty() ? "is empty" : "is no zip archive, or lacks the end of one, as .npz files are",
                      copy_again);
  const Result<Directory> directory = directory_of(file, *end);
  if (!directory) return directory.faults();
  return entries_of(file, directory.value());
}

Result<std::unique_ptr<ByteSource>> unpacked(const InputFile& file, const ZipEntry& entry, const std::string& shown) {
  if (auto fault = wrong_entry(file, entry, shown)) return *std::move(fault);
  const auto contradicts = [&] { return broken_entry(shown, "its header is not what the directory says"); };
  const std::size_t before = header_size + entry.name.size();
  if (entry.offset > file.size() || file.size() - entry.offset < before) return contradicts();
  std::string header(before, '\0');
  if (auto fault = file.read(entry.offset, header)) return *std::move(fault);
  const std::uint64_t begin = entry.offset + header_size + number_at(header, 26, 2) + number_at(header, 28, 2);
  if (number_at(header, 26, 2) != entry.name.size() || begin > file.size() || file.size() - begin < entry.packed ||
      !agrees(header, std::string_view(header).substr(header_size), entry)) {
    return contradicts();
  }
  return {std::make_unique<Unpacked>(file, entry, begin, shown)};
}

}  // namespace attn
