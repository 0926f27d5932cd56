#include "files/npy_header.h"
#include "files/reader.h"

namespace attn {
namespace {

class NpyFile : public TensorFile {
 public:
  explicit NpyFile(InputFile file) : file_(std::move(file)) { names_ = {""}; }

  Result<TensorOutline> outline(std::size_t) override {
    FilePart all(file_, 0, file_.size());
    return read_npy_outline(all);
  }

  Result<FileTensor> read(std::size_t, std::size_t max_bytes) override {
    FilePart all(file_, 0, file_.size());
    return read_npy(all, max_bytes);
  }

 private:
  InputFile file_;
};

}  // namespace

Reader npy_reader() {
  return {".npy", "one array of numpy", [](InputFile file) -> Result<std::unique_ptr<TensorFile>> {
            return {std::make_unique<NpyFile>(std::move(file))};
          }};
}

}  // namespace attn
