// What libFuzzer calls: one harness a program.

#include <cstddef>
#include <cstdint>

#include "harness.h"

namespace attn {
Harness ATTN_HARNESS();
}  // namespace attn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const attn::Harness harness = attn::ATTN_HARNESS();
  harness.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
