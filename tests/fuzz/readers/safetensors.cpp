#include <cstdint>
#include <string>

#include "harness.h"
#include "tensors.h"

namespace attn {
namespace {

// Tensors of a model. The fuzzer's text is the header and, behind a NUL, the numbers: the eight bytes before it,
// which say how long it is, hardly ever would. Texts that begin with a NUL are whole files.
void run(std::string_view bytes) {
  if (bytes.starts_with('\0')) return read_tensors(".safetensors", bytes.substr(1));
  const std::size_t length = bytes.substr(0, bytes.find('\0')).size();
  std::string file;
  for (std::uint64_t i = 0, left = length; i < 8; ++i, left >>= 8) file += static_cast<char>(left & 0xFF);
  file += bytes.substr(0, length);
  if (length < bytes.size()) file += bytes.substr(length + 1);
  read_tensors(".safetensors", file);
}

}  // namespace

Harness safetensors_harness() { return {"safetensors", run}; }

}  // namespace attn
