#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "files/hard_links.h"
#include "files/input_file.h"
#include "tensor/part.h"

namespace attn {

struct StoredArray;  // files/array.h

// What a tensor in a file for programs (.npy, .npz, .safetensors) says of
// itself, before a number of it is read.
struct TensorOutline {
  std::string name;   // in its file; "" where that holds one without a name (.npy)
  std::string dtype;  // "f64", "f32", "f16", "bf16", "i8" … "i64", "u8" … "u64", "bool"
  std::vector<std::size_t> shape;

  bool is_boolean() const { return dtype == "bool"; }
};

// The same with its numbers.
struct FileTensor : TensorOutline {
  std::vector<double> values;  // the last axis varies fastest; booleans are 0 and 1
};

// An opened file of tensors. What it says of itself has been checked against
// the bytes there are; numbers are read when they are asked for, and nothing
// that a file contains is ever run.
//
// Faults have no place (`where` is ""), and do not name the file: "ends after
// 12 of 96 bytes".
class TensorFile {
 public:
  virtual ~TensorFile() = default;

  // Of the tensors, in the order of the file; one empty name for a .npy.
  const std::vector<std::string>& names() const { return names_; }

  // What the file says of itself: the __metadata__ of .safetensors.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // What the tensor of that index is: of an archive no more is unpacked than its
  // header, and its bytes may still turn out to be broken. Refused where that
  // says of them that they are too many or too few, or that they take more than
  // `max_bytes` as doubles. Of a part the shape is the part's, and what it is refused for has
  // the place "/rows", "/columns", "/take/3" or "/transpose".
  // REQUIRES: index < names().size().
  Result<TensorOutline> outline(std::size_t index, std::size_t max_bytes, const TensorPart& part = {});

  // The same with its numbers; integers that a double does not hold are refused.
  Result<FileTensor> read(std::size_t index, std::size_t max_bytes, const TensorPart& part = {});

  // Closes the file; nothing is read of it until it is resumed: opened anew, and the same as before. What it says of
  // itself is known then, and is not read again.
  void rest() { file_.rest(); }
  bool resume(InputFile& anew) { return file_.resume(anew); }
  const InputFile::State& state() const { return file_.state(); }

 protected:
  explicit TensorFile(InputFile file) : file_(std::move(file)) {}

  // The tensor as it is stored, its header read and no number yet.
  virtual Result<StoredArray> open(std::size_t index) = 0;

  // A fault of that tensor as one of the file.
  virtual Diagnostic of_file(Diagnostic fault, std::size_t) const { return fault; }

  InputFile file_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> metadata_;
};

// Opens a regular file whose ending names one of tensor_readers(); whatever
// else the path leads to (folders, pipes, devices) is refused at once.
Result<std::unique_ptr<TensorFile>> open_tensor_file(const std::string& path);

// The same for a path relative to a folder, and never outside it: absolute
// paths, `..` and links that lead out are refused; hard links, where it is asked for.
// Where `takes` says that who asks has that file already, nothing is given.
Result<std::unique_ptr<TensorFile>> open_tensor_file_within(const std::string& folder, const std::string& path,
                                                            HardLinks links,
                                                            const std::function<bool(InputFile&)>& takes = nullptr);

// Whether a path has the ending of a file of tensors.
bool names_tensor_file(const std::string& path);

// Whether it has the ending of a file that runs code when it is read: of PyTorch, or of Python.
bool names_pickle(const std::string& path);

// One kind of file that tensors are read from.
struct Reader {
  std::string ending;   // with the dot
  std::string summary;  // one line, for people
  std::function<Result<std::unique_ptr<TensorFile>>(InputFile)> open;
};

// Every kind: the rows that files/CMakeLists.txt names.
const std::vector<Reader>& tensor_readers();

}  // namespace attn
