#include "files/npy_header.h"
#include "files/tensor_file.h"

namespace attn {
namespace {

class NpyFile : public TensorFile {
 public:
  explicit NpyFile(InputFile file) : TensorFile(std::move(file)) { names_ = {""}; }

 private:
  Result<StoredArray> open(std::size_t) override {
    return opened_npy(std::make_unique<FilePart>(file_, 0, file_.size()));
  }
};

}  // namespace

Reader npy_reader() {
  return {".npy", "one array of numpy", [](InputFile file) -> Result<std::unique_ptr<TensorFile>> {
            return {std::make_unique<NpyFile>(std::move(file))};
          }};
}

}  // namespace attn
