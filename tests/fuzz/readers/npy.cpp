#include "harness.h"
#include "tensors.h"

namespace attn {

// An array of NumPy.
Harness npy_harness() {
  return {"npy", [](std::string_view bytes) { read_tensors(".npy", bytes); }};
}

}  // namespace attn
