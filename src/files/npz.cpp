#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "files/npy_header.h"
#include "files/tensor_file.h"
#include "files/zip.h"

namespace attn {
namespace {

class NpzFile : public TensorFile {
 public:
  // The arrays are the entries that are no folders; numpy calls array x x.npy.
  NpzFile(InputFile file, std::vector<ZipEntry> entries) : TensorFile(std::move(file)), entries_(std::move(entries)) {
    std::erase_if(entries_, [](const ZipEntry& entry) { return entry.name.ends_with('/'); });
    for (const ZipEntry& entry : entries_) {
      names_.push_back(entry.name.substr(0, entry.name.size() - (entry.name.ends_with(".npy") ? 4 : 0)));
    }
  }

 private:
  Result<StoredArray> open(std::size_t index) override {
    Result<std::unique_ptr<ByteSource>> source = unpacked(file_, entries_[index], printable(names_[index]));
    if (!source) return source.faults();
    Result<StoredArray> array = opened_npy(std::move(source.value()));
    if (!array) return of_file(array.faults().front(), index);
    return array;
  }

  Diagnostic of_file(Diagnostic fault, std::size_t index) const override {
    if (!fault.message.starts_with("has a broken entry"))
      fault.message = "has an array " + printable(names_[index]) + " that " + fault.message;
    return fault;
  }

  std::vector<ZipEntry> entries_;  // of names_
};

Result<std::unique_ptr<TensorFile>> open_npz(InputFile file) {
  Result<std::vector<ZipEntry>> entries = read_zip_directory(file);
  if (!entries) return entries.faults();
  auto opened = std::make_unique<NpzFile>(std::move(file), std::move(entries.value()));
  std::vector<std::string> sorted = opened->names();
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end())
    return file_fault("has two arrays called " + printable(*twice),
                      "readers would differ in which they take; numpy.savez gives each a name of its own");
  return {std::move(opened)};
}

}  // namespace

Reader npz_reader() { return {".npz", "arrays of numpy, each with a name; stored or deflated", open_npz}; }

}  // namespace attn
