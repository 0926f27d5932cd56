#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/input_file.h"
#include "files/tensor_file.h"

namespace attn {

// One kind of file that tensors are read from.
struct Reader {
  std::string ending;   // with the dot
  std::string summary;  // one line, for people
  std::function<Result<std::unique_ptr<TensorFile>>(InputFile)> open;
};

// Every kind: the rows that files/CMakeLists.txt names.
const std::vector<Reader>& tensor_readers();

}  // namespace attn
