// Stands for this folder in a build without CUDA.

#include "backend/backends.h"

namespace attn {

std::vector<std::string> cuda_devices() { return {}; }

Result<std::unique_ptr<Backend>> make_cuda(std::size_t) {
  return Diagnostic{.code = "no-cuda",
                    .message = "attn was built without CUDA",
                    .help = "build with -DATTN_CUDA=ON; --backend cpu gives the same steps"};
}

}  // namespace attn
