#include <algorithm>
#include <cctype>
#include <memory>
#include <unistd.h>
#include <utility>
#include <zip.h>

#include "base/text.h"
#include "files/npy_header.h"
#include "files/reader.h"
#include "files/zip_directory.h"

namespace attn {
namespace {

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, CloseZip>;

struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

// What the library says, as the end of a sentence.
std::string in_words(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// What is unpacked from an entry.
class ZipEntry : public ByteSource {
 public:
  ZipEntry(zip_t* archive, std::size_t index, std::size_t size, std::string name)
      : ByteSource(size), name_(std::move(name)), entry_(zip_fopen_index(archive, index, 0)), left_(size) {
    if (!entry_) reason_ = in_words(zip_get_error(archive));
  }

  bool is_certain() const override { return false; }

  std::optional<Diagnostic> read(std::span<char> into) override {
    if (!entry_) return broken(reason_);
    while (!into.empty()) {
      const zip_int64_t count = zip_fread(entry_.get(), into.data(), into.size());
      if (count < 0) return broken(in_words(zip_file_get_error(entry_.get())));
      if (count == 0) return broken("it ends " + std::to_string(left_) + " bytes early");
      left_ -= static_cast<std::size_t>(count);
      into = into.subspan(static_cast<std::size_t>(count));
    }
    return std::nullopt;
  }

  // At the end the library compares the checksum.
  std::optional<Diagnostic> finish() override {
    char more = 0;
    const zip_int64_t count = zip_fread(entry_.get(), &more, 1);
    if (count < 0) return broken(in_words(zip_file_get_error(entry_.get())));
    if (count > 0) return broken("it unpacks to more than it says");
    return std::nullopt;
  }

 private:
  Diagnostic broken(const std::string& why) const { return file_fault("has a broken entry " + name_ + ": " + why); }

  std::string name_;  // printable
  std::unique_ptr<zip_file_t, CloseEntry> entry_;
  std::string reason_;
  std::size_t left_;
};

class NpzFile : public TensorFile {
 public:
  NpzFile(InputFile file, Archive archive) : file_(std::move(file)), archive_(std::move(archive)) {}

  // Finds the arrays of the archive, whose names end in .npy.
  std::optional<Diagnostic> find_arrays() {
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      const char* const name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
      if (!name) return file_fault("has an entry whose name cannot be read");
      std::string_view text(name);
      if (text.ends_with('/')) continue;
      if (text.ends_with(".npy")) text.remove_suffix(4);
      names_.emplace_back(text);
      entries_.push_back(static_cast<zip_uint64_t>(i));
    }
    std::vector<std::string> sorted = names_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return std::nullopt;
    return file_fault("has two arrays called " + printable(*twice));
  }

  Result<FileTensor> read(std::size_t index, std::size_t max_bytes) override {
    const std::string shown = printable(names_[index]);
    zip_stat_t entry;
    zip_stat_init(&entry);
    if (zip_stat_index(archive_.get(), entries_[index], 0, &entry) != 0) {
      return file_fault("has a broken entry " + shown + ": " + in_words(zip_get_error(archive_.get())));
    }
    if (auto fault = wrong_entry(entry, shown)) return *std::move(fault);
    ZipEntry source(archive_.get(), entries_[index], entry.size, shown);
    Result<FileTensor> tensor = read_npy(source, max_bytes);
    if (!tensor) return of_entry(tensor.faults().front(), shown);
    tensor.value().name = names_[index];
    return tensor;
  }

 private:
  // What cannot be unpacked, or cannot be true of the bytes there are.
  std::optional<Diagnostic> wrong_entry(const zip_stat_t& entry, const std::string& shown) const {
    constexpr zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    // A byte of deflate makes 1032 at most; the first few make none.
    constexpr zip_uint64_t most_from_a_byte = 1032;
    if ((entry.valid & wanted) != wanted) return file_fault("has an entry " + shown + " without sizes");
    if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && entry.encryption_method != ZIP_EM_NONE) {
      return file_fault("has an encrypted entry " + shown + ", which cannot be read");
    }
    if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
      return file_fault("packs " + shown + " by method " + std::to_string(entry.comp_method) +
                            "; stored (0) and deflated (8) can be read",
                        "numpy.savez and numpy.savez_compressed write these");
    }
    const bool stored = entry.comp_method == ZIP_CM_STORE;
    if (entry.comp_size > file_.size() ||
        (stored ? entry.size != entry.comp_size : entry.size / most_from_a_byte > entry.comp_size)) {
      return file_fault("has a broken entry " + shown + ": " + std::to_string(entry.size) + " bytes cannot be in " +
                        std::to_string(std::min<zip_uint64_t>(entry.comp_size, file_.size())));
    }
    return std::nullopt;
  }

  static Diagnostic of_entry(Diagnostic fault, const std::string& shown) {
    if (!fault.message.starts_with("has a broken entry"))
      fault.message = "has an array " + shown + " that " + fault.message;
    return fault;
  }

  InputFile file_;
  Archive archive_;
  std::vector<zip_uint64_t> entries_;  // of names_
};

Result<std::unique_ptr<TensorFile>> open_npz(InputFile file) {
  if (auto fault = wrong_zip_directory(file)) return *std::move(fault);
  const int descriptor = ::dup(file.descriptor());
  int code = 0;
  Archive archive(zip_fdopen(descriptor, ZIP_CHECKCONS, &code));
  if (!archive) {
    ::close(descriptor);
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = in_words(&error);
    zip_error_fini(&error);
    return file_fault("is a broken zip archive: " + why);
  }
  auto opened = std::make_unique<NpzFile>(std::move(file), std::move(archive));
  if (auto fault = opened->find_arrays()) return *std::move(fault);
  return {std::move(opened)};
}

}  // namespace

Reader npz_reader() { return {".npz", "arrays of numpy, each with a name; stored or deflated", open_npz}; }

}  // namespace attn
