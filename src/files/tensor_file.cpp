#include "files/tensor_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "files/array.h"

namespace attn {
namespace {

constexpr std::size_t longest_path = 4096;  // what is longer names no file, and takes long to be taken apart

const Reader* reader_of(const std::string& path) {
  const auto found =
      std::ranges::find_if(tensor_readers(), [&](const Reader& one) { return path.ends_with(one.ending); });
  return found == tensor_readers().end() ? nullptr : &*found;
}

Diagnostic unknown_ending(const std::string& path) {
  std::string endings;
  for (const Reader& one : tensor_readers()) endings += (endings.empty() ? "" : ", ") + one.ending;
  return file_fault("has an ending that names no file of tensors; there are " + endings,
                    names_pickle(path) ? "pickled files run code when they are read, so they never are; "
                                         "safetensors.torch.save_file writes one that holds only numbers"
                                       : "numpy.save writes .npy, numpy.savez .npz",
                    "unknown-ending");
}

// A file that is opened once its ending is known to name a reader.
template <class Open>
Result<std::unique_ptr<TensorFile>> opened(const std::string& path, Open open,
                                           const std::function<bool(InputFile&)>& takes = nullptr) {
  const Reader* const reader = reader_of(path);
  if (!reader) return unknown_ending(path);
  Result<InputFile> file = open();
  if (!file) return file.faults();
  if (takes && takes(file.value())) return {nullptr};
  return reader->open(std::move(file.value()));
}

}  // namespace

Result<TensorOutline> TensorFile::outline(std::size_t index, std::size_t max_bytes, const TensorPart& part) {
  const Result<StoredArray> array = open(index);
  if (!array) return array.faults();
  const Result<PartOutline> made = outline_within(array.value(), part, max_bytes);
  if (!made) return of_file(made.faults().front(), index);
  return TensorOutline{names_[index], name(array.value().layout.element), made.value().shape};
}

Result<FileTensor> TensorFile::read(std::size_t index, std::size_t max_bytes, const TensorPart& part) {
  Result<StoredArray> array = open(index);
  if (!array) return array.faults();
  const Result<PartOutline> made = outline_within(array.value(), part, max_bytes);
  if (!made) return of_file(made.faults().front(), index);
  Result<std::vector<double>> numbers = read_part(array.value(), made.value());
  if (!numbers) return of_file(numbers.faults().front(), index);
  return FileTensor{{names_[index], name(array.value().layout.element), made.value().shape},
                    std::move(numbers.value())};
}

Result<std::unique_ptr<TensorFile>> open_tensor_file(const std::string& path) {
  return opened(path, [&] { return InputFile::open(path); });
}

Result<std::unique_ptr<TensorFile>> open_tensor_file_within(const std::string& folder, const std::string& path,
                                                            HardLinks links,
                                                            const std::function<bool(InputFile&)>& takes) {
  if (path.size() > longest_path) return refused_by_system("cannot be read", ENAMETOOLONG, "too-long");
  if (auto fault = InputFile::leads_out(path)) return *std::move(fault);
  return opened(
      path, [&] { return InputFile::open_within(folder, path, links); }, takes);
}

bool names_tensor_file(const std::string& path) { return reader_of(path) != nullptr; }

bool names_pickle(const std::string& path) {
  constexpr std::array<std::string_view, 6> endings = {".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace attn
